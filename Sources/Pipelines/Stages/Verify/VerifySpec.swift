package import Diagnostics

/// A `verify` stage: statements about the store that must hold.
package struct VerifySpec: Sendable, Hashable {
    /// How a number of objects is compared.
    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case atLeast = ">="
        case atMost = "<="
        case more = ">"
        case fewer = "<"

        /// Whether the number meets the bound.
        func holds(_ count: Int, _ bound: Int) -> Bool {
            switch self {
            case .equal: count == bound
            case .notEqual: count != bound
            case .atLeast: count >= bound
            case .atMost: count <= bound
            case .more: count > bound
            case .fewer: count < bound
            }
        }
    }

    /// One statement: `"Task where owner == nil": "== 0"`.
    package struct Expectation: Sendable, Hashable {
        /// The statement as written.
        package var text: String
        /// The entity, sub-entities included.
        package var entity: PlacedText
        /// Which of its objects are counted.
        package var selection: Selection
        package var comparison: Comparison
        package var bound: Int
        /// Where it stands.
        package var location: SourceLocation
    }

    /// The statements in the order of the file.
    package var expectations: [Expectation]
}
