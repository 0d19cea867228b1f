package import Diagnostics

/// A record that could not be read: where it is, why, and its own text.
package struct RejectedRecord: Sendable, Hashable {
    /// The class of the fault, on which `on.<code>` acts: `parse`, `shape`, `encoding`, `too-big`.
    package var code: String
    /// The fault itself, such as `csv.unterminated-quote`.
    package var detail: String
    /// The record, and the byte at which it went wrong.
    package var location: RecordLocation
    /// One sentence without the place.
    package var message: String
    /// What the user can do about it.
    package var fix: String?
    /// The field's value as text, where one field is to blame.
    package var value: String?
    /// The record as it stands in the input, without its line end.
    package var raw: [UInt8]
    /// Whether `raw` holds only the beginning, because the record is too big.
    package var isCut: Bool
    /// What else is wrong with the record.
    package var others: [Other] = []
    /// The key that is made of all its fields, where the import wants one.
    package var rowKey: String?

    /// Another fault of the record.
    package struct Other: Sendable, Hashable {
        /// The class of the fault, such as `cast`.
        package var code: String
        /// The field at fault.
        package var field: String
        /// One sentence without the place.
        package var message: String
        /// The field's value as text.
        package var value: String?

        package init(code: String, field: String, message: String, value: String?) {
            self.code = code
            self.field = field
            self.message = message
            self.value = value
        }
    }

    /// One sentence on all that is wrong.
    package var wholeMessage: String {
        ([message] + others.map(\.message)).joined(separator: "; also: ")
    }

    package init(
        code: String, detail: String, location: RecordLocation, message: String,
        fix: String? = nil, value: String? = nil, raw: [UInt8], isCut: Bool = false
    ) {
        self.code = code
        self.detail = detail
        self.location = location
        self.message = message
        self.fix = fix
        self.value = value
        self.raw = raw
        self.isCut = isCut
    }

    /// The reject as it is shown.
    package var diagnostic: Diagnostic {
        Diagnostic(code: detail, wholeMessage, at: .record(location), fix: fix)
    }
}

/// What is wrong with a record, before its place is known.
struct RecordFault: Equatable {
    var code: String
    var detail: String
    var message: String
    var fix: String?

    static let rawBytesMax = 64 * 1024
}
