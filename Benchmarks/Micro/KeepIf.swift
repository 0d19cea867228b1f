import GraphModel
import Pipelines
import RecordStreams

/// The cost of filters on top of decoding the records that they read.
enum KeepIf {
    private static let names = [
        "id", "title", "notes", "createdAt", "completedAt", "isCompleted", "priority", "estimate",
        "category",
    ]
    static let formats = [
        "isCompleted == NO AND priority >= 1", "priority >= 1 AND estimate > 2",
        "estimate > 2 AND estimate < 7.25", "priority >= 1 AND title CONTAINS 'part'",
        "category == 'Work' OR estimate > 7.25",
    ]

    static func measure(
        file: String, _ formats: [String] = formats, rounds: Int = 15
    ) throws {
        let filters = try formats.map { format in
            try CompiledPredicate(ParsedPredicate(format: format).predicate) {
                names.firstIndex(of: $0.joined(separator: "."))
            }
        }
        var paths = names.map { FieldPath(name: $0) }
        paths.append(try FieldPath(parsing: "tags[*]"))
        var decoding: [Double] = []
        var filtering = Array(repeating: [Double](), count: filters.count)
        var kept = Array(repeating: 0, count: filters.count)
        var records = 0
        for _ in 0..<rounds {
            let input = try InputFiles.expand(patterns: [file], baseFolder: "/")[0]
            let reader = try RecordReader(
                input: input, options: ReadOptions(), selection: FieldSelection(paths))
            let batch = RecordBatch()
            var decode = 0.0
            var each = Array(repeating: 0.0, count: filters.count)
            kept = Array(repeating: 0, count: filters.count)
            records = 0
            while true {
                let began = cpuSeconds()
                guard try reader.next(batch) else { break }
                decode += cpuSeconds() - began
                records += batch.count
                for (place, filter) in filters.enumerated() {
                    let began = cpuSeconds()
                    for record in 0..<batch.count {
                        let row = RecordRow(fields: batch.fields(of: record), isTabular: false)
                        if try filter.evaluate(row) { kept[place] += 1 }
                    }
                    each[place] += cpuSeconds() - began
                }
            }
            decoding.append(decode)
            for place in filters.indices { filtering[place].append(each[place]) }
        }
        print("\(records) records, \(rounds) rounds; CPU per record, the least and the median\n")
        print("| | ns | of decoding | kept |")
        print("|---|---|---|---|")
        let decode = Spread(decoding)
        func nanoseconds(_ seconds: Double) -> String {
            (seconds / Double(records) * 1e9).text(places: 1)
        }
        print("| decode | \(nanoseconds(decode.least)) \(nanoseconds(decode.middle)) | | |")
        for place in filters.indices {
            let filter = Spread(filtering[place])
            let shares = Spread(zip(filtering[place], decoding).map { $0 / $1 * 100 })
            print(
                "| `\(formats[place])` | \(nanoseconds(filter.least)) "
                    + "\(nanoseconds(filter.middle)) | \(shares.least.text(places: 1)) % "
                    + "\(shares.middle.text(places: 1)) % | \(kept[place]) |")
        }
    }
}
