import RecordStreams

/// The speed of inflating and decoding, in uncompressed bytes per CPU second.
enum Streams {
    private static let rounds = 5
    private static let names = ["title", "isCompleted", "priority", "estimate", "category"]

    static func measure(folder: String) throws {
        print("\(rounds) rounds; MB of plain bytes per second of CPU, the best and the median\n")
        print("| | MB/s |")
        print("|---|---|")
        try measure("inflate", of: "tasks.ndjson.gz", in: folder) { input in
            let source = try ByteSource(input, compression: .gzip)
            let size = 1 << 18
            let target = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
            defer { target.deallocate() }
            var bytes = 0
            while case let count = try source.read(into: target, count: size), count > 0 {
                bytes += count
            }
            return bytes
        }
        for name in ["tasks.ndjson", "tasks.json", "tasks.csv"] {
            try measure("decode \(name)", of: name, in: folder) { input in
                let reader = try RecordReader(
                    input: input, options: ReadOptions(),
                    selection: FieldSelection(names.map { FieldPath(name: $0) }))
                let batch = RecordBatch()
                while try reader.next(batch) {}
                return input.byteCount
            }
        }
    }

    private static func measure(
        _ title: String, of file: String, in folder: String, _ read: (InputFile) throws -> Int
    ) throws {
        var speeds: [Double] = []
        for _ in 0..<rounds {
            let input = try InputFiles.expand(patterns: [file], baseFolder: folder)[0]
            let began = cpuSeconds()
            let bytes = try read(input)
            speeds.append(Double(bytes) / 1e6 / (cpuSeconds() - began))
        }
        let middle = Spread(speeds).middle
        print("| \(title) | \((speeds.max() ?? 0).text(places: 0)) \(middle.text(places: 0)) |")
    }
}
