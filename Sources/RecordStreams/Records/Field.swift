/// One value of a record: what kind it is and where its bytes are.
///
/// It has 16 bytes and no references. The bytes belong to the batch and are valid until the batch is filled again.
package struct Field {
    /// What a field holds.
    package enum Kind: UInt8, Sendable {
        /// The record does not have the field.
        case absent
        /// JSON's `null`, or a CSV field that stands for null.
        case null
        /// JSON's `false`.
        case `false`
        /// JSON's `true`.
        case `true`
        /// A number in JSON's grammar, as written.
        case number
        /// Text in valid UTF-8, without quotes and escapes. A CSV field is always text or null.
        case string
        /// The values that a path with `[*]` reached; see `RecordBatch.items(of:)`.
        case list
        /// A nested object or array that was asked for whole, as its JSON text.
        case json
    }

    /// The first byte; for a list, what `RecordBatch.items(of:)` needs.
    package var start: UnsafePointer<UInt8>?
    /// The number of bytes; for a list, of its items.
    package var count: Int32
    /// What the field holds.
    package var kind: Kind

    @inline(__always)
    package init(_ kind: Kind, start: UnsafePointer<UInt8>? = nil, count: Int = 0) {
        self.start = start
        self.count = Int32(truncatingIfNeeded: count)
        self.kind = kind
    }

    /// Null stands before the last name of its path, so that nothing is known of that name.
    ///
    /// Of such a null alone the place is kept; it has a length where it is in a list of the path, or
    /// in place of one.
    package var isNullBefore: Bool { kind == .null && start != nil }

    /// Whether its path has no value: nothing is there, or null before a name of several that may be
    /// one.
    var leadsToNothing: Bool { kind == .absent || (isNullBefore && count == 0) }

    /// The bytes of a number, string or JSON text; empty for other kinds.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start, count: kind == .list ? 0 : Int(count))
    }

    /// A stretch of a text field, as a text field of its own.
    package func slice(_ range: Range<Int>) -> Field {
        Field(.string, start: start.map { $0 + range.lowerBound }, count: range.count)
    }

    /// The bytes as text, for messages and slow paths.
    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }
}
