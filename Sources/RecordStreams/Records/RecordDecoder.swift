/// A decoder of one format: finds the records in a chunk of bytes and stores their fields.
///
/// Its methods are called once per batch, never per record.
protocol RecordDecoder: AnyObject {
    /// The bytes that scanners need after the end of a chunk.
    var terminator: (UInt8, UInt8) { get }
    /// The byte that ends a line, for line numbers.
    var lineEnd: UInt8 { get }
    /// The error that ended the input.
    var failure: RecordStreamError? { get }
    /// The number of records so far, good and bad.
    var recordCount: Int { get }

    /// The names of a table's columns, once its start is read.
    var columnNames: [String]? { get }

    /// The unselected fields, and the number of records that contained them since the counts were
    /// reset.
    var extraFields: [(name: String, count: Int)] { get }

    /// Resets the counts of unselected fields.
    func forgetExtraFields()

    /// Reads the start of the input: a byte-order mark, a header.
    ///
    /// - Returns: the number of bytes consumed, or `nil` if more are needed.
    func begin(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) throws(RecordStreamError) -> Int?

    /// The number of blank lines before a header, once the start is read.
    var blankLinesBefore: Int { get }

    /// Adds records from the batch's chunk until the batch is full or the data ends.
    ///
    /// - Parameter isFinal: whether the input ends with the chunk.
    /// - Returns: the offset of the first byte that is still needed.
    func decode(into batch: RecordBatch, isFinal: Bool) -> Int

    /// Returns the part of a chunk, from its start, whose records another decoder reads with the
    /// same result as this one, whatever came before them.
    func piece(of chunk: ByteChunk, recordsMax: Int) -> Piece

    /// Returns a decoder that reads pieces of the same input on another thread, with its own record
    /// count; `nil` if only this decoder can read the input.
    func twin() -> (any RecordDecoder)?
}

/// Complete records at the start of a chunk, or complete lines that can be blank.
struct Piece: Equatable {
    var byteCount = 0
    /// The number of records, or of lines that can be blank.
    var recordCount = 0
}

extension RecordDecoder {
    /// Returns the unselected fields, and the number of records that contained them since the last
    /// call.
    func takeExtraFields() -> [(name: String, count: Int)] {
        defer { forgetExtraFields() }
        return extraFields
    }

    var lineEnd: UInt8 { 10 }
    var columnNames: [String]? { nil }
    var blankLinesBefore: Int { 0 }
    func piece(of chunk: ByteChunk, recordsMax: Int) -> Piece { Piece() }
    func twin() -> (any RecordDecoder)? { nil }

    /// Skips a byte-order mark.
    func begin(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) throws(RecordStreamError) -> Int? {
        byteOrderMarkLength(bytes, isFinal: isFinal)
    }

    /// Returns the length of a byte-order mark, or `nil` if more data is needed.
    func byteOrderMarkLength(_ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> Int? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.count < 3, !isFinal, bytes.elementsEqual(mark.prefix(bytes.count)) { return nil }
        return bytes.starts(with: mark) ? 3 : 0
    }
}
