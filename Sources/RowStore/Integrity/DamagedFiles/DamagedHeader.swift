/// The first 100 bytes of a copy of a damaged file, corrected so that SQLite can open it.
///
/// The page size is the one for which cells end at the ends of pages; see
/// https://www.sqlite.org/fileformat2.html#the_database_header for the fields.
enum DamagedHeader {
    private static let length = 100
    private static let sampleMax = 4 << 20
    private static let magic = Array("SQLite format 3".utf8) + [0]

    /// Corrects the fields whose values can be derived.
    ///
    /// - Returns: `false` if the file does not look like an SQLite file.
    static func repair(_ copy: String) throws(StoreError) -> Bool {
        let sample = try StoreFiles.read(copy, first: sampleMax)
        guard sample.count > length else { return false }
        var header = Array(sample[..<length])
        guard let form = form(of: sample, header) else { return false }
        header.replaceSubrange(0..<16, with: magic)
        // 1 stands for 65536, which does not fit into two bytes.
        header.set(form.pageSize == 65_536 ? 1 : form.pageSize, at: 16, bytes: 2)
        let version: UInt8 = StoreFiles.hasFilledLog(copy) ? 2 : 1
        header[18] = version
        header[19] = version
        header[20] = UInt8(form.reserved)
        header.replaceSubrange(21..<24, with: [64, 32, 32])
        if !(1...4).contains(header.number(at: 44, bytes: 4)) { header.set(4, at: 44, bytes: 4) }
        if declaresTables(sample) || !(1...3).contains(header.number(at: 56, bytes: 4)) {
            header.set(1, at: 56, bytes: 4)
        }
        try StoreFiles.overwrite(copy, at: 0, with: header)
        try TruncatedFile(copy)?.makeReadable(copy)
        let bytes = StoreFiles.size(copy)
        let pages = (bytes + form.pageSize - 1) / form.pageSize
        if header.number(at: 28, bytes: 4) < pages {
            // If the page count is not valid for the change counter, SQLite uses the file's length.
            header.set(~header.number(at: 24, bytes: 4) & 0xFFFF_FFFF, at: 92, bytes: 4)
            try StoreFiles.overwrite(copy, at: 92, with: Array(header[92..<96]))
        }
        return true
    }

    /// Returns whether the text of a table occurs in a single-byte encoding.
    private static func declaresTables(_ sample: [UInt8]) -> Bool {
        let words = Array("CREATE TABLE ".utf8)
        return sample.withUnsafeBufferPointer { bytes in
            bytes.indices.dropLast(words.count - 1).contains { place in
                bytes[place] == words[0] && bytes[place...].starts(with: words)
            }
        }
    }

    private struct Form: Hashable {
        var pageSize: Int
        var reserved: Int
    }

    /// Returns the form for which the cells of most pages end at the page's end, or that of the
    /// header if no other form is better.
    private static func form(of sample: [UInt8], _ header: [UInt8]) -> Form? {
        let claimed = header.number(at: 16, bytes: 2)
        let size = claimed == 1 ? 65_536 : claimed
        let reserved = Int(header[20])
        let sizes = (9...16).map { 1 << $0 }
        var forms = sizes.contains(size) ? [Form(pageSize: size, reserved: reserved)] : []
        for size in sizes {
            for reserved in [0, reserved] { forms.append(Form(pageSize: size, reserved: reserved)) }
        }
        var best: (form: Form, count: Int)?
        for form in forms where form.pageSize - form.reserved >= 480 {
            let count = filledPages(of: sample, form)
            if count > best?.count ?? 0 { best = (form, count) }
        }
        if let best { return best.form }
        // A file without rows has no cells.
        return Array(header[..<16]) == magic
            ? forms.first { $0.pageSize - $0.reserved >= 480 } : nil
    }

    private static func filledPages(of sample: [UInt8], _ form: Form) -> Int {
        var count = 0
        for start in stride(from: 0, to: sample.count - form.pageSize + 1, by: form.pageSize) {
            let page = DamagedPage(
                Array(sample[start..<start + form.pageSize]), start: start == 0 ? 100 : 0,
                form.pageSize - form.reserved)
            if page?.isFilledToItsEnd ?? false { count += 1 }
        }
        return count
    }
}

extension [UInt8] {
    /// Stores a big-endian number.
    mutating func set(_ value: Int, at place: Int, bytes count: Int) {
        for offset in 0..<count {
            self[place + offset] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - offset)))
        }
    }
}
