import RecordStreams

/// Receives values one by one.
///
/// Generic code over it is specialized, so writing files has no overhead from tables.
protocol CellOutput: AnyObject {
    func null()
    func bool(_ value: Bool)
    func integer(_ value: Int64)
    func double(_ value: Double)
    /// Writes valid UTF-8.
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Writes text that needs no escapes, such as a UUID or a date.
    func ascii(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Writes a number in JSON's grammar.
    func number(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Writes a value that is already JSON.
    func json(_ bytes: UnsafeBufferPointer<UInt8>)
}

/// Receives the values of records, in the order of the columns.
protocol ValueEncoder: CellOutput {
    /// The number of records ended so far.
    var rowCount: Int { get }
    /// Whether a text was not UTF-8, so the output is unusable.
    var hasInvalidText: Bool { get }
    func beginRecord()
    func endRecord() throws(RecordStreamError)
    func beginList()
    /// Ends a list.
    ///
    /// - Returns: whether the list must be begun and written again.
    func endList() -> Bool
    /// Writes the buffered rest of the output.
    func finish() throws(RecordStreamError) -> OutputSummary
}

extension RecordEncoder: ValueEncoder {}

extension ValueEncoder {
    var hasInvalidText: Bool { false }
}

extension CellOutput {
    func text(_ text: String) {
        var copy = text
        copy.withUTF8 { self.text($0) }
    }
}
