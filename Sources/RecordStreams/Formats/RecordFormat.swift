package import Files

/// The format of a stream of records.
package enum RecordFormat: String, Sendable, Hashable, CaseIterable {
    /// Comma-separated values with a header.
    case csv
    /// Tab-separated values with a header.
    case tsv
    /// A JSON document.
    case json
    /// One JSON object on each line.
    case ndjson

    /// Identifies the format by a file name, ignoring the compression.
    package init?(fileName: some StringProtocol) {
        self.init(fileName: FileName(fileName))
    }

    /// Identifies the format by the name of a file, ignoring the compression.
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

    /// The default bytes between the fields of a table.
    package var delimiter: [UInt8] { [UInt8(ascii: self == .tsv ? "\t" : ",")] }
}

/// The compression of an input.
package enum InputCompression: String, Sendable, Hashable, CaseIterable {
    /// A name that ends in `.gz` must be gzip; other files are gzip if they start with its magic
    /// bytes.
    case auto
    /// The input must be gzip.
    case gzip
    /// The input is read without decompression.
    case none
}
