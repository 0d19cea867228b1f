/// Comparisons of two properties of a class.
extension Key where Value: ComparableValue {
    /// Matches if both properties have the same value.
    public static func == <Other: ComparableValue>(
        left: Key, right: Key<Other>
    ) -> GraphPredicate where Value.Comparand == Other.Comparand {
        left.key == right
    }

    /// Matches if the properties have different values.
    public static func != <Other: ComparableValue>(
        left: Key, right: Key<Other>
    ) -> GraphPredicate where Value.Comparand == Other.Comparand {
        left.key != right
    }

    /// Matches if the left property is less.
    public static func < <Other: ComparableValue>(
        left: Key, right: Key<Other>
    ) -> GraphPredicate where Value.Comparand == Other.Comparand {
        left.key < right
    }

    /// Matches if the left property is less or equal.
    public static func <= <Other: ComparableValue>(
        left: Key, right: Key<Other>
    ) -> GraphPredicate where Value.Comparand == Other.Comparand {
        left.key <= right
    }

    /// Matches if the left property is greater.
    public static func > <Other: ComparableValue>(
        left: Key, right: Key<Other>
    ) -> GraphPredicate where Value.Comparand == Other.Comparand {
        left.key > right
    }

    /// Matches if the left property is greater or equal.
    public static func >= <Other: ComparableValue>(
        left: Key, right: Key<Other>
    ) -> GraphPredicate where Value.Comparand == Other.Comparand {
        left.key >= right
    }

    /// Matches a value within the bounds of two properties, ends included.
    public func between<Low: ComparableValue, High: ComparableValue>(
        _ low: Key<Low>, _ high: Key<High>
    ) -> GraphPredicate where Value.Comparand == Low.Comparand, Value.Comparand == High.Comparand {
        key.between(low, high)
    }

    /// Matches one of the values at the end of a to-many path: `$0.title.in($0.subtasks.title)`.
    ///
    /// If the path leads to one string instead of many, a property matches if its string is a part
    /// of that string.
    public func `in`<Other: ComparableValue>(
        _ values: Key<Other>, _ options: ComparisonOptions = []
    ) -> GraphPredicate where Value.Comparand == Other.Comparand {
        key.in(values, options)
    }
}

/// Comparisons of two properties that are strings.
extension Key where Value: TextValue {
    /// Matches strings that are equal under the options.
    public func equals(
        _ text: Key<some TextValue>, _ options: ComparisonOptions
    ) -> GraphPredicate {
        key.equals(text, options)
    }

    /// Matches a string that contains that of the other property.
    public func contains(
        _ part: Key<some TextValue>, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        key.contains(part, options)
    }

    /// Matches a string that begins with that of the other property.
    public func beginsWith(
        _ start: Key<some TextValue>, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        key.beginsWith(start, options)
    }

    /// Matches a string that ends with that of the other property.
    public func endsWith(
        _ end: Key<some TextValue>, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        key.endsWith(end, options)
    }

    /// Matches a string against the pattern in the other property.
    public func like(
        _ shape: Key<some TextValue>, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        key.like(shape, options)
    }

    /// Matches a string that the regular expression in the other property matches completely.
    public func matches(
        _ pattern: Key<some TextValue>, _ options: ComparisonOptions = []
    ) -> GraphPredicate {
        key.matches(pattern, options)
    }
}
