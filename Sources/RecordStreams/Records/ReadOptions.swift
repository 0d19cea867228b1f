/// Whether and by what byte fields are quoted.
package enum CSVQuote: Sendable, Hashable {
    /// Fields may be enclosed by this byte.
    case byte(UInt8)
    /// Quotes are data.
    case none
}

/// How an input is to be read.
package struct ReadOptions: Sendable {
    /// The format, or nil to tell it from the name or else the first byte.
    package var format: RecordFormat?
    /// The path to the records inside a JSON document, such as `$.data.items[*]`.
    package var at = "$"
    /// How the input is compressed.
    package var compression = InputCompression.auto
    /// How the bytes of the input stand for text.
    package var encoding = TextEncoding.utf8
    /// Whether a CSV input starts with the names of its columns.
    package var header = true
    /// The names of the columns, which replace those of the header.
    package var columns: [String]?
    /// The bytes between two fields, or nil for that of the format.
    package var delimiter: [UInt8]?
    /// Lines of a table to be read over, whatever is in them, before its header or first record.
    package var linesSkipped = 0
    /// The byte with which lines of a table begin that are no records.
    package var comment: UInt8?
    /// How long the lines before a CSV header may be together, in bytes, if one record may not be
    /// longer.
    package var maxPreambleBytes = 16 << 20
    /// The byte behind which a byte of a table stands for itself.
    package var escape: UInt8?
    /// Whether a delimiter at the end of a line ends the last field, and begins no other.
    package var dropsTrailingDelimiter = false
    /// How fields are quoted.
    package var quote = CSVQuote.byte(UInt8(ascii: "\""))
    /// The unquoted CSV fields that stand for null.
    package var nulls = [""]
    /// Further ones, by the names of the only columns in which they do.
    package var columnNulls: [String: [String]] = [:]
    /// Whether a CSV record with too few fields is filled up with absent ones, not rejected.
    package var padsShortRows = false
    /// The size of the largest record; larger ones are rejected as `too-big`.
    package var maxRecordBytes = 16 * 1024 * 1024
    /// How far JSON may nest.
    package var depthMax = 512
    /// How many times its size gzip data may inflate to, after the first 64 MiB.
    package var maxRatio = 1000
    /// How many threads inflate ahead, where members can be told apart.
    package var inflatingThreads = GzipMembers.threadsOfMachine
    /// The amount of input that a batch is filled from; tests make it small.
    package var chunkBytes = 512 * 1024
    /// The number of records in a batch at most.
    package var batchRecordsMax = 4096
    /// Asked now and then while a stream has nothing to be read; true ends that with an error.
    ///
    /// Without it the system is left to wait.
    package var isCancelled: (@Sendable () -> Bool)?
    /// Is given the lines that a command writes to its standard error.
    package var tellOfCommand: (@Sendable (String) -> Void)?

    package init() {}
}
