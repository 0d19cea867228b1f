package import Files

/// One file to read, as a pattern named it.
package struct InputFile: Sendable, Hashable {
    /// The path by which it is opened, or `-` for standard input.
    package let path: FileName
    /// The size in bytes as stored, that is compressed; 0 where it is not known.
    package let byteCount: Int
    /// Whether its bytes come but once: those of a pipe, a device or a socket, which nobody can read
    /// again from the beginning.
    package let isStream: Bool

    /// Rows that are made here, where there is no file; nil elsewhere.
    package let generatedRows: Int?

    package init(path: FileName, byteCount: Int, isStream: Bool = false) {
        self.path = path
        self.byteCount = byteCount
        self.isStream = isStream
        generatedRows = nil
    }

    /// The beginning of the path of records that come from no file.
    package static let generatedPrefix: FileName = "generate:"

    /// So many records `{"row":0}`, `{"row":1}`, … without a file.
    package init(generating rows: Int) {
        path = Self.generatedPrefix.adding("\(rows)")
        generatedRows = rows
        isStream = false
        byteCount = GeneratedRows.byteCount(rows)
    }

    /// Standard input.
    package static let standardInput = InputFile(path: "-", byteCount: 0, isStream: true)

    /// Whether this is standard input.
    package var isStandardInput: Bool { path == "-" }

    /// The file as messages name it.
    package var name: String { isStandardInput ? "standard input" : path.displayText }

    /// Whether the name claims that the file is compressed.
    var hasGzipName: Bool { path.lowercasedASCII.hasSuffix(".gz") }
}
