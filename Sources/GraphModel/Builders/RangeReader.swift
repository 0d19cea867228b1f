import YAML

/// Reads closed ranges: `0..2`, `0..`, `..100`, `2020-01-01..`.
enum RangeReader {
    /// Reads the range of values for an attribute of the type.
    static func values(_ value: YAMLValue, _ type: AttributeType) -> NumberRange? {
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            return range(value, of: "numbers", such: "0..10") { text in
                let scalar = YAMLScalar(plain: text).value
                if case .integer(let number) = scalar { return Double(number) }
                if case .real(let number) = scalar, !number.isNaN { return number }
                return nil
            }
        case .date:
            return range(value, of: "dates", such: "2020-01-01..2030-12-31", ScalarText.date)
        default:
            value.fail("rule", "'range' is for numbers and dates, not for \(type.rawValue)")
            return nil
        }
    }

    /// Reads a range for the length of a string or for a number of objects.
    static func counts(_ value: YAMLValue) -> NumberRange? {
        range(value, of: "whole numbers from 0", such: "1..500") { text in
            guard case .integer(let number) = YAMLScalar(plain: text).value,
                (0...Int64(Int32.max)).contains(number)
            else { return nil }
            return Double(number)
        }
    }

    /// Reads the number of objects of a relationship; a maximum of 0 or −1 sets no limit.
    static func objectCounts(_ value: YAMLValue) -> (minimum: Int, maximum: Int)? {
        // Some models of apps have −1, whose version hash differs from that of 0.
        if let text = value.scalar?.text, text.hasSuffix("..-1"),
            let minimum = Int32(text.dropLast(4)), minimum >= 0
        {
            return (Int(minimum), -1)
        }
        return counts(value).map { (Int($0.minimum ?? 0), Int($0.maximum ?? 0)) }
    }

    private static func range(
        _ value: YAMLValue, of kind: String, such example: String, _ parse: (String) -> Double?
    ) -> NumberRange? {
        let wanted = "a range of \(kind) such as \(example)"
        guard let text = value.scalar?.text, let ends = split(text) else {
            return value.wrong(wanted)
        }
        let minimum = parse(ends.minimum)
        let maximum = parse(ends.maximum)
        let isLegible =
            (minimum != nil || ends.minimum.isEmpty) && (maximum != nil || ends.maximum.isEmpty)
        guard isLegible, minimum != nil || maximum != nil else { return value.wrong(wanted) }
        if let minimum, let maximum, minimum > maximum {
            value.fail("range", "'\(value.label)' is empty: \(text) ends before it begins")
            return nil
        }
        return NumberRange(minimum: minimum, maximum: maximum)
    }

    /// Splits at the first two dots.
    private static func split(_ text: String) -> (minimum: String, maximum: String)? {
        guard let dots = text.firstRange(of: "..") else { return nil }
        let trim = { (part: Substring) in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        return (trim(text[..<dots.lowerBound]), trim(text[dots.upperBound...]))
    }
}
