/// Counts the values of a type among those of a column, to name the first one that keeps the column
/// from having the type.
///
/// A column of other values closes after a few of them, and costs nothing more.
struct NearType {
    /// Values of the type.
    private(set) var count = 0
    /// Values of none.
    private(set) var misfits = 0
    /// The first value of none.
    private(set) var first = ""
    /// The file and line of that value.
    var place: String?

    private static let shownMax = 40

    /// Whether the column may still be one of the type, but for a few values.
    var isOpen: Bool { misfits <= 3 + count / 16 }

    /// Whether the column has the type, but for a few values.
    var isNear: Bool { misfits > 0 && misfits * 5 <= count }

    /// The first value of none was met, and its place is not known yet.
    var wantsPlace: Bool { misfits > 0 && place == nil }

    /// - Returns: whether the value is the first one that is not of the type.
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

    /// Why the column is text.
    func note(_ kind: String) -> String {
        "kept as text: '\(first)' (\(place ?? "")) is not a \(kind), and "
            + (count == 1 ? "1 other value is" : "\(ReportWords.count(count)) other values are")
    }
}
