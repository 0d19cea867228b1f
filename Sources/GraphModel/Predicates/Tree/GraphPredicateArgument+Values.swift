public import FoundationEssentials

extension GraphExpression {
    fileprivate init(_ number: some BinaryInteger) {
        self = .constant(
            Int64(exactly: number).map { .integer($0) } ?? .double(Double(number)))
    }
}

extension Int: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension Int8: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension Int16: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension Int32: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension Int64: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension UInt8: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension UInt16: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension UInt32: GraphPredicateArgument {
    /// The integer as a constant.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension UInt: GraphPredicateArgument {
    /// The integer as a constant; above 63 bits, the nearest double.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension UInt64: GraphPredicateArgument {
    /// The integer as a constant; above 63 bits, the nearest double.
    public var graphExpression: GraphExpression { GraphExpression(self) }
}

extension Double: GraphPredicateArgument {
    /// The number as a constant.
    public var graphExpression: GraphExpression { .constant(.double(self)) }
}

extension Float: GraphPredicateArgument {
    /// The number as a constant, converted to a double without loss.
    public var graphExpression: GraphExpression { .constant(.double(Double(self))) }
}

extension Decimal: GraphPredicateArgument {
    /// The number as a constant: an integer if possible, otherwise the nearest double.
    ///
    /// Stores hold decimals as doubles, too.
    public var graphExpression: GraphExpression {
        let text = description
        if let integer = Int64(text) { return .constant(.integer(integer)) }
        return .constant(.double(Double(text) ?? .nan))
    }
}

extension Date: GraphPredicateArgument {
    /// The date as a constant.
    public var graphExpression: GraphExpression {
        .constant(.date(secondsSinceReference: timeIntervalSinceReferenceDate))
    }
}

extension UUID: GraphPredicateArgument {
    /// The UUID as a constant.
    public var graphExpression: GraphExpression {
        .constant(.uuid(withUnsafeBytes(of: uuid) { Array($0) }))
    }
}

extension Data: GraphPredicateArgument {
    /// The bytes as a constant.
    public var graphExpression: GraphExpression { .constant(.binary(Array(self))) }
}

extension URL: GraphPredicateArgument {
    /// The URL as a string, as in stores.
    public var graphExpression: GraphExpression { .constant(.string(absoluteString)) }
}
