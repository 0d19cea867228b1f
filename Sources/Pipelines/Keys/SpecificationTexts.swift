package import Diagnostics

/// A name or other short text with its location.
package struct PlacedText: Sendable, Hashable {
    /// The text as written.
    package var text: String
    /// The location of the text.
    package var location: SourceLocation

    /// Creates a text with its location.
    package init(_ text: String, _ location: SourceLocation) {
        self.text = text
        self.location = location
    }
}

/// A predicate that is not yet parsed.
package struct PredicateText: Sendable, Hashable {
    /// The predicate as written.
    package var text: String
    /// The location of the predicate.
    package var location: SourceLocation
}

/// An expression that is not yet parsed.
package struct ExpressionText: Sendable, Hashable {
    /// The expression as written.
    package var text: String
    /// The location of the expression.
    package var location: SourceLocation
}

/// The objects of an entity that a stage selects.
package enum Selection: Sendable, Hashable {
    case all
    case matching(PredicateText)
}

/// A constant value in a spec.
package enum ConstantValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number with its source text, so that a decimal keeps its digits.
    case real(Double, text: String)
    /// Text that may contain parameters.
    case text(TemplateText)
}

/// An absolute number, or a percentage of a total that is known later.
package enum CountLimit: Sendable, Hashable {
    case count(Int)
    /// A percentage from 0 to 100.
    case percent(Double)

    /// Returns the number that the limit allows out of `total`, rounded down.
    package func allowed(of total: Int) -> Int {
        switch self {
        case .count(let count): count
        case .percent(let percent): Int((Double(total) * percent / 100).rounded(.down))
        }
    }

    /// The limit in the notation of a spec.
    var text: String {
        switch self {
        case .count(let count): "\(count)"
        case .percent(let percent): "\(percent)%".replacing(".0%", with: "%")
        }
    }
}
