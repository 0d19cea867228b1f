import RecordStreams

/// Takes the values of records one by one, in the order of the columns.
///
/// Generic code over it is specialised where it is used, so that files pay nothing for tables.
protocol ValueEncoder: AnyObject {
    /// The number of records ended so far.
    var rowCount: Int { get }
    /// Whether a text was not UTF-8, so that what was written is of no use.
    var hasInvalidText: Bool { get }
    func beginRecord()
    func endRecord() throws(RecordStreamError)
    func null()
    func bool(_ value: Bool)
    func integer(_ value: Int64)
    func double(_ value: Double)
    /// Valid UTF-8.
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Text that needs no escapes, such as a UUID or a date.
    func ascii(_ bytes: UnsafeBufferPointer<UInt8>)
    /// A number in JSON's grammar.
    func number(_ bytes: UnsafeBufferPointer<UInt8>)
    /// A value that is JSON already.
    func json(_ bytes: UnsafeBufferPointer<UInt8>)
    func beginList()
    /// Ends a list.
    ///
    /// - Returns: whether it must be begun and written once more.
    func endList() -> Bool
    /// Writes what is left.
    func finish() throws(RecordStreamError) -> OutputSummary
}

extension RecordEncoder: ValueEncoder {}

extension ValueEncoder {
    var hasInvalidText: Bool { false }

    func text(_ text: String) {
        var copy = text
        copy.withUTF8 { self.text($0) }
    }
}
