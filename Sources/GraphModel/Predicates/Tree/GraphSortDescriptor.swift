/// One key of a sort order.
public struct GraphSortDescriptor: Sendable, Hashable, Codable {
    /// The order of strings; other values have only one order.
    public enum TextOrder: String, Sendable, Hashable, Codable, CaseIterable {
        /// By UTF-8 bytes, like `==`.
        case binary
        /// After folding case, like `[c]`.
        case caseInsensitive
        /// After folding case and diacritics, like `[cd]`.
        case caseAndDiacriticInsensitive
        /// The order for lists of names, the same for every machine and locale.
        ///
        /// Letters count before case and diacritics, and runs of digits are numbers, so that "file
        /// 10" comes after "file 9".
        case localizedStandard
    }

    /// The position of objects without a value.
    public enum NullOrder: String, Sendable, Hashable, Codable, CaseIterable {
        /// Before all other objects.
        case first
        /// After all other objects.
        case last
    }

    /// The property, or the path of to-one relationships to it.
    public var keyPath: [String]
    /// Whether the order is ascending.
    public var isAscending: Bool
    /// The order of strings.
    public var textOrder: TextOrder
    /// The position of nil, regardless of the direction.
    public var nullOrder: NullOrder

    /// Creates a sort key; by default, nil is less than all values, as in SQLite.
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
