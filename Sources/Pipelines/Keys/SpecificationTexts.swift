package import Diagnostics

/// A name or other short text with its place.
package struct PlacedText: Sendable, Hashable {
    /// The text as written.
    package var text: String
    /// Where it is written.
    package var location: SourceLocation

    /// Makes a text with its place.
    package init(_ text: String, _ location: SourceLocation) {
        self.text = text
        self.location = location
    }
}

/// A predicate that is not parsed yet.
package struct PredicateText: Sendable, Hashable {
    /// The predicate as written.
    package var text: String
    /// Where it is written.
    package var location: SourceLocation
}

/// An expression that is not parsed yet.
package struct ExpressionText: Sendable, Hashable {
    /// The expression as written.
    package var text: String
    /// Where it is written.
    package var location: SourceLocation
}

/// Which objects of an entity a stage is about.
package enum Selection: Sendable, Hashable {
    case all
    case matching(PredicateText)
}

/// A value that a spec gives outright.
package enum ConstantValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// With its text, so that a decimal keeps its digits.
    case real(Double, text: String)
    /// Text, in which parameters may stand.
    case text(TemplateText)
}

/// A number, or a share of a number that is known later.
package enum CountLimit: Sendable, Hashable {
    case count(Int)
    /// From 0 to 100.
    case percent(Double)

    /// The number that the limit allows out of `total`, rounded down.
    package func allowed(of total: Int) -> Int {
        switch self {
        case .count(let count): count
        case .percent(let percent): Int((Double(total) * percent / 100).rounded(.down))
        }
    }

    /// The limit as it is written in a spec.
    var text: String {
        switch self {
        case .count(let count): "\(count)"
        case .percent(let percent): "\(percent)%".replacing(".0%", with: "%")
        }
    }
}
