/// The byte that quotes fields, if any.
package enum CSVQuote: Sendable, Hashable {
    /// Fields may be enclosed in this byte.
    case byte(UInt8)
    /// Quotes are data.
    case none
}

/// The unquoted texts that mean null in one column of a table.
package struct ColumnNulls: Sendable, Hashable {
    /// The name of the column.
    package var column: String
    /// The texts.
    package var texts: [String]

    /// Sets the texts of a column.
    package init(column: String, texts: [String]) {
        self.column = column
        self.texts = texts
    }
}

/// The options for reading an input.
package struct ReadOptions: Sendable {
    /// The format, or `nil` to detect it from the name or the first byte.
    package var format: RecordFormat?
    /// The path to the records inside a JSON document, such as `$.data.items[*]`.
    package var at = "$"
    /// The compression of the input.
    package var compression = InputCompression.auto
    /// The text encoding of the input.
    package var encoding = TextEncoding.utf8
    /// Whether a CSV input starts with the names of its columns.
    package var header = true
    /// The names of the columns, which replace the names in the header.
    package var columns: [String]?
    /// The bytes between two fields, or `nil` for the delimiter of the format.
    package var delimiter: [UInt8]?
    /// The number of lines to skip before the header or the first record of a table.
    package var linesSkipped = 0
    /// The byte that starts comment lines of a table.
    package var comment: UInt8?
    /// The maximum total length of the lines before a CSV header in bytes, if it is larger than
    /// `maxRecordBytes`.
    package var maxPreambleBytes = 16 << 20
    /// The escape of a table: the byte after it is literal.
    package var escape: UInt8?
    /// Whether a lone CR ends a record of a table; `nil` to read it from the first line.
    package var endsAtReturn: Bool?
    /// Whether a delimiter at the end of a line only ends the last field, and starts no other.
    package var dropsTrailingDelimiter = false
    /// The quoting of fields.
    package var quote = CSVQuote.byte(UInt8(ascii: "\""))
    /// The unquoted CSV fields that mean null.
    package var nulls = [""]
    /// Further unquoted fields that mean null in single columns.
    package var columnNulls: [ColumnNulls] = []
    /// Whether a CSV record with too few fields is padded with absent ones instead of rejected.
    package var padsShortRows = false
    /// The maximum size of a record; larger records are rejected as `too-big`.
    package var maxRecordBytes = 16 * 1024 * 1024
    /// The maximum nesting depth of JSON.
    package var depthMax = 512
    /// The maximum compression ratio of gzip data, after the first 64 MiB.
    package var maxRatio = 1000
    /// The number of threads that inflate ahead, if the members state their sizes.
    package var inflatingThreads = GzipMembers.threadsOfMachine
    /// The number of input bytes from which a batch is filled; tests make it small.
    package var chunkBytes = 512 * 1024
    /// The maximum number of records in a batch.
    package var batchRecordsMax = 4096
    /// Called repeatedly while a stream has no bytes to read; if it returns `true`, reading fails.
    ///
    /// If `nil`, the system waits.
    package var isCancelled: (@Sendable () -> Bool)?
    /// Receives the lines that a command writes to standard error.
    package var showCommandLine: (@Sendable (String) -> Void)?

    /// Creates the default options, which detect the format and the compression.
    package init() {}
}
