import RecordStreams

/// Tasks like the generator's, but created here and identical on every machine.
///
/// The counts must not depend on a library for random numbers or on tools that a machine may lack.
struct SampleTasks {
    private let count: Int
    private static let words = [
        "Review", "the", "naïve", "budget", "report", "before", "Friday", "\"urgent\"", "café",
        "menu,", "part", "2",
    ]

    init(count: Int) {
        self.count = count
    }

    /// Writes the tasks in every supported input format.
    func write(to folder: String) throws {
        try write("\(folder)/tasks.ndjson", start: "", separator: "\n", end: "\n", json)
        try write("\(folder)/tasks.ndjson.gz", start: "", separator: "\n", end: "\n", json)
        try write("\(folder)/tasks.json", start: "[\n", separator: ",\n", end: "\n]\n", json)
        let header =
            "id,title,notes,createdAt,completedAt,isCompleted,priority,estimate,category,tags\n"
        try write("\(folder)/tasks.csv", start: header, separator: "\n", end: "\n", line)
    }

    private func write(
        _ path: String, start: String, separator: String, end: String, _ text: (Int) -> String
    ) throws {
        let output = try OutputFile(path: path, gzipLevel: path.hasSuffix(".gz") ? 6 : nil)
        var block = Array(start.utf8)
        for task in 0..<count {
            if task > 0 { block += separator.utf8 }
            block += text(task).utf8
            if block.count > 1 << 16 { try flush(&block, to: output) }
        }
        block += end.utf8
        try flush(&block, to: output)
        _ = try output.finish(rowCount: count)
    }

    private func flush(_ block: inout [UInt8], to output: OutputFile) throws {
        // Typed errors do not propagate through closures.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: block.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: block)
        try output.write(UnsafeRawBufferPointer(copy))
        block.removeAll(keepingCapacity: true)
    }

    // MARK: One task

    private func json(_ task: Int) -> String {
        let tags = tags(task).map { "\"\($0)\"" }.joined(separator: ",")
        return "{\"id\":\"\(uuid(task))\",\"title\":\"\(escaped(title(task)))\",\"notes\":"
            + (notes(task).map { "\"\(escaped($0))\"" } ?? "null")
            + ",\"createdAt\":\"\(date(task))\",\"completedAt\":"
            + (isCompleted(task) ? "\"\(date(task + 40))\"" : "null")
            + ",\"isCompleted\":\(isCompleted(task)),\"priority\":\(task % 3)"
            + ",\"estimate\":\(estimate(task)),\"category\":\"\(category(task))\",\"tags\":[\(tags)]}"
    }

    private func line(_ task: Int) -> String {
        let cells = [
            uuid(task), quoted(title(task)), notes(task).map(quoted) ?? "", date(task),
            isCompleted(task) ? date(task + 40) : "", "\(isCompleted(task))", "\(task % 3)",
            estimate(task), category(task), tags(task).joined(separator: "|"),
        ]
        return cells.joined(separator: ",")
    }

    private func escaped(_ text: String) -> String {
        text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
    }

    private func quoted(_ text: String) -> String {
        let inner = text.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"\(inner.joined(separator: "\"\""))\""
    }

    /// Mixes a number so that adjacent numbers have unrelated results (splitmix64).
    private func mixed(_ number: Int) -> UInt64 {
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ 0x9E37_79B9_7F4A_7C15
        state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
        return state ^ (state >> 31)
    }

    private func uuid(_ task: Int) -> String {
        let high = hexadecimal(mixed(2 * task))
        let low = hexadecimal(mixed(2 * task + 1))
        return "\(high.prefix(8))-\(high.dropFirst(8).prefix(4))-4\(high.suffix(3))"
            + "-A\(low.prefix(3))-\(low.suffix(12))"
    }

    private func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private func title(_ task: Int) -> String { text(of: 6, from: mixed(task)) }

    private func notes(_ task: Int) -> String? {
        task % 3 == 0 ? nil : text(of: 4 + task % 25, from: mixed(task + 1))
    }

    private func text(of count: Int, from seed: UInt64) -> String {
        (0..<count).map { Self.words[Int((seed >> UInt64($0 * 2 % 60)) % 12)] }
            .joined(separator: " ")
    }

    private func isCompleted(_ task: Int) -> Bool { mixed(task) & 1 == 0 }

    private func date(_ task: Int) -> String {
        "20\(10 + task % 15)-0\(1 + task % 9)-1\(task % 10)T0\(task % 10):1\(task % 7):2\(task % 9)Z"
    }

    private func estimate(_ task: Int) -> String { "\(task % 40).\(task % 4 * 25)" }

    private func category(_ task: Int) -> String { "Category \(mixed(task) % 200)" }

    private func tags(_ task: Int) -> [String] {
        (0..<(task % 4)).map { "tag-\((mixed(task) >> 8) % 100 + UInt64($0) * 100)" }
    }
}
