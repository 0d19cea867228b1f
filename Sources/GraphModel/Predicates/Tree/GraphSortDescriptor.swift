/// One key of an order.
public struct GraphSortDescriptor: Sendable, Hashable, Codable {
    /// How two texts are ordered; other values have one order only.
    public enum TextOrder: String, Sendable, Hashable, Codable, CaseIterable {
        /// By UTF-8 bytes, as `==` compares.
        case binary
        /// After folding case, as `[c]` compares.
        case caseInsensitive
        /// After folding case and diacritics, as `[cd]` compares.
        case caseAndDiacriticInsensitive
        /// As people expect in lists of names: letters before their case and diacritics, and
        /// runs of digits as numbers, so that "file 10" comes after "file 9". One fixed order
        /// for every machine and locale.
        case localizedStandard
    }

    /// Where objects without a value come.
    public enum NullOrder: String, Sendable, Hashable, Codable, CaseIterable {
        /// Before the others.
        case first
        /// After the others.
        case last
    }

    /// The property, or the path of to-ones to it.
    public var keyPath: [String]
    /// Whether small values come first.
    public var isAscending: Bool
    /// How texts are ordered.
    public var textOrder: TextOrder
    /// Where nil comes; as given, whatever the direction.
    public var nullOrder: NullOrder

    /// Creates a key; nil comes first where small values do, as SQLite has it.
    public init(
        _ keyPath: [String], ascending isAscending: Bool = true, textOrder: TextOrder = .binary,
        nullOrder: NullOrder? = nil
    ) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        self.textOrder = textOrder
        self.nullOrder = nullOrder ?? (isAscending ? .first : .last)
    }
}
