extension ScalarParser {
    /// Returns the double nearest to a JSON number, or `nil` for other text or if it is infinite.
    package static func double(_ bytes: ByteView) -> Double? {
        guard let number = DecimalNumber(bytes) else { return nil }
        return number.nearestDouble ?? slowDouble(bytes)
    }

    /// Returns the float nearest to a JSON number with the given nearest double; can be infinite.
    ///
    /// Rounding the double is correct unless it is halfway between two floats, since the number
    /// itself can be on either side.
    package static func float(_ bytes: ByteView, nearestDouble: Double) -> Float {
        let float = Float(nearestDouble)
        // A value halfway has one bit more than a float, and so 28 fewer than a double.
        guard nearestDouble.significandBitPattern & 0x0FFF_FFFF == 0,
            Double(float) != nearestDouble
        else { return float }
        return Float(String(decoding: bytes, as: UTF8.self)) ?? float
    }

    /// Reads a JSON number that a double holds without loss, as stores keep decimals.
    ///
    /// It is accepted if its canonical decimal text is the shortest text of the double: `0.99` and
    /// `1.50`, but not `0.12345678901234567890`. Minus zero is zero.
    package static func decimal(_ bytes: ByteView) -> Double? {
        guard let number = DecimalNumber(bytes), !number.isTruncated else { return nil }
        if number.magnitude == 0 { return 0 }
        guard let value = number.nearestDouble ?? slowDouble(bytes) else { return nil }
        // A double of normal size always preserves 15 digits.
        if number.magnitude < 1_000_000_000_000_000, abs(number.exponent) < 280 { return value }
        var text = value.description
        let shortest = text.withUTF8 { DecimalNumber($0) }
        return shortest == number ? value : nil
    }

    /// Reads a number with any number of digits and any exponent, at the cost of a string.
    static func slowDouble(_ bytes: ByteView) -> Double? {
        guard let value = Double(String(decoding: bytes, as: UTF8.self)) else { return nil }
        return value.isFinite ? value : nil
    }
}
