/// One file to read, as a pattern named it.
package struct InputFile: Sendable, Hashable {
    /// The path as the user will see it and as it is opened, or `-` for standard input.
    package let path: String
    /// The size in bytes as stored, that is compressed; 0 where it is not known.
    package let byteCount: Int

    /// Rows that are made here, where there is no file; nil elsewhere.
    package let generatedRows: Int?

    package init(path: String, byteCount: Int) {
        self.path = path
        self.byteCount = byteCount
        generatedRows = nil
    }

    /// So many records `{"row":0}`, `{"row":1}`, … without a file.
    package init(generating rows: Int) {
        path = "generate:\(rows)"
        generatedRows = rows
        byteCount = GeneratedRows.byteCount(rows)
    }

    /// Standard input.
    package static let standardInput = InputFile(path: "-", byteCount: 0)

    /// Whether this is standard input.
    package var isStandardInput: Bool { path == "-" }

    /// Whether the name claims that the file is compressed.
    var hasGzipName: Bool { path.lowercased().hasSuffix(".gz") }
}
