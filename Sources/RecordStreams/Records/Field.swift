/// One value of a record: its kind and the location of its bytes.
///
/// It takes 16 bytes and contains no references. The bytes belong to the batch and are valid until
/// the batch is filled again.
package struct Field {
    /// The kind of a field's value.
    package enum Kind: UInt8, Sendable {
        /// The record does not have the field.
        case absent
        /// JSON's `null`, or a CSV field that means null.
        case null
        /// JSON's `false`.
        case `false`
        /// JSON's `true`.
        case `true`
        /// A number in JSON's grammar, unchanged.
        case number
        /// Text in valid UTF-8, without quotes and escapes. A CSV field is always text or null.
        case string
        /// The values reached by a path with `[*]`; see `RecordBatch.items(of:)`.
        case list
        /// A nested object or array that is selected as a whole, as its JSON text.
        case json
    }

    /// The first byte; for a list, the index for `RecordBatch.items(of:)`.
    package var start: UnsafePointer<UInt8>?
    /// The number of bytes, or the number of items of a list.
    package var count: Int32
    /// The kind of the value.
    package var kind: Kind

    /// Creates a field that points to the bytes and does not own them.
    @inline(__always)
    package init(_ kind: Kind, start: UnsafePointer<UInt8>? = nil, count: Int = 0) {
        self.start = start
        self.count = Int32(truncatingIfNeeded: count)
        self.kind = kind
    }

    /// Whether a name before the last one of the path has the value null.
    ///
    /// The last name then has no known value.
    ///
    /// Only such a null stores its position; its length is positive if it is in a list of the path,
    /// or replaces one.
    package var isNullBefore: Bool { kind == .null && start != nil }

    /// Whether the path has no value: it is absent, or a null occurs before one of several names
    /// that may be one joined name.
    var leadsToNothing: Bool { kind == .absent || (isNullBefore && count == 0) }

    /// The bytes of a number, string, or JSON text; empty for other kinds.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start, count: kind == .list ? 0 : Int(count))
    }

    /// Returns a part of a text field as a text field.
    package func slice(_ range: Range<Int>) -> Field {
        Field(.string, start: start.map { $0 + range.lowerBound }, count: range.count)
    }

    /// The bytes as text, for messages and slow paths.
    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }
}
