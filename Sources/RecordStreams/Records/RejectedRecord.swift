package import Diagnostics

/// A record that could not be read: its location, the reason, and its raw text.
package struct RejectedRecord: Sendable, Hashable {
    /// The class of the fault, which `on.<code>` handles: `parse`, `shape`, `encoding`, `too-big`.
    package var code: String
    /// The fault itself, such as `csv.unterminated-quote`.
    package var detail: String
    /// The location of the record, and the byte of the fault.
    package var location: RecordLocation
    /// The message: one sentence without the location.
    package var message: String
    /// The suggested fix, if any.
    package var fix: String?
    /// The field's value as text, if one field caused the fault.
    package var value: String?
    /// The raw text of the record in the input, without its line end.
    package var raw: [UInt8]
    /// Whether `raw` contains only the start, because the record is too big.
    package var isTruncated: Bool
    /// The other faults of the record.
    package var others: [Other] = []
    /// The key computed from all its fields, if the import needs one.
    package var rowKey: String?

    /// Another fault of the record.
    package struct Other: Sendable, Hashable {
        /// The class of the fault, such as `cast`.
        package var code: String
        /// The field at fault.
        package var field: String
        /// The message: one sentence without the location.
        package var message: String
        /// The field's value as text.
        package var value: String?

        /// Creates a further fault, which one field caused.
        package init(code: String, field: String, message: String, value: String?) {
            self.code = code
            self.field = field
            self.message = message
            self.value = value
        }
    }

    /// The messages of all faults in one sentence.
    package var wholeMessage: String {
        Self.wholeMessage(message, others.map(\.message))
    }

    /// Returns the message of a record's first fault with those of the other faults.
    package static func wholeMessage(_ first: String, _ others: [String]) -> String {
        ([first] + others).joined(separator: "; also: ")
    }

    /// Creates a reject with one fault and without a row key.
    package init(
        code: String, detail: String, location: RecordLocation, message: String,
        fix: String? = nil, value: String? = nil, raw: [UInt8], isTruncated: Bool = false
    ) {
        self.code = code
        self.detail = detail
        self.location = location
        self.message = message
        self.fix = fix
        self.value = value
        self.raw = raw
        self.isTruncated = isTruncated
    }

    /// The reject as a diagnostic for display.
    package var diagnostic: Diagnostic {
        Diagnostic(code: detail, wholeMessage, at: .record(location), fix: fix)
    }
}

/// A fault of a record, before its location is known.
struct RecordFault: Equatable {
    var code: String
    var detail: String
    var message: String
    var fix: String?

    static let rawBytesMax = 64 * 1024
}
