package import Files

/// The format of a stream of records.
package enum RecordFormat: String, Sendable, Hashable, CaseIterable {
    /// Comma-separated values with a header.
    case csv
    /// The same, separated by tabs.
    case tsv
    /// A JSON document.
    case json
    /// One JSON object on each line.
    case ndjson

    /// The format that a file name stands for, whatever its compression.
    package init?(fileName: some StringProtocol) {
        self.init(fileName: FileName(fileName))
    }

    /// The format that the name of a file stands for, whatever its compression.
    package init?(fileName: FileName) {
        var name = fileName.lowercasedASCII
        if name.hasSuffix(".gz") { name = FileName(bytes: name.bytes.dropLast(3)) }
        let endings: [(FileName, RecordFormat)] = [
            (".csv", .csv), (".tsv", .tsv), (".tab", .tsv), (".json", .json),
            (".ndjson", .ndjson), (".jsonl", .ndjson),
        ]
        guard let format = endings.first(where: { name.hasSuffix($0.0) })?.1 else { return nil }
        self = format
    }

    /// The bytes between the fields of a table, where nobody names others.
    package var delimiter: [UInt8] { [UInt8(ascii: self == .tsv ? "\t" : ",")] }
}

/// How an input is compressed.
package enum InputCompression: String, Sendable, Hashable, CaseIterable {
    /// A name ending in `.gz` must be gzip; others are gzip where they start with its magic bytes.
    case auto
    /// The input must be gzip.
    case gzip
    /// The input is taken as it is.
    case none
}
