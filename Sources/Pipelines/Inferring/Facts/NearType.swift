import Diagnostics

/// Counts the values of a column that are of a type, and keeps the first value that is not.
///
/// Counting stops after a few other values, so columns of another type cost little.
struct NearType {
    /// The number of values of the type.
    private(set) var count = 0
    /// The number of values that are not of the type.
    private(set) var misfits = 0
    /// The first value that is not of the type.
    private(set) var first = ""
    /// The file and line of the first value that is not of the type.
    var place: String?

    private static let shownMax = 40

    /// Whether the column may still have the type, with few exceptions.
    var isOpen: Bool { misfits <= 3 + count / 16 }

    /// Whether the column has the type, with few exceptions.
    var isNear: Bool { misfits > 0 && misfits * 5 <= count }

    /// Whether the position of the first value of another type is still to be set.
    var wantsPlace: Bool { misfits > 0 && place == nil }

    /// Counts a value; returns whether it is the first value that is not of the type.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, isOfType: Bool) -> Bool {
        if isOfType {
            count += 1
            return false
        }
        misfits += 1
        guard misfits == 1 else { return false }
        let text = String(decoding: bytes.prefix(Self.shownMax * 4), as: UTF8.self)
        first = text.count > Self.shownMax ? text.prefix(Self.shownMax) + "…" : text
        return true
    }

    /// Returns a note with the reason why the column is text.
    func note(_ kind: String) -> String {
        "kept as text: '\(first)' (\(place ?? "")) is not a \(kind), and "
            + (count == 1 ? "1 other value is" : "\(count.grouped) other values are")
    }
}
