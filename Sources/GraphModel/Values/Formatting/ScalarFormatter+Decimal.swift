extension ScalarFormatter {
    /// The maximum length of a double without an exponent: 324 decimal places and the part before
    /// them.
    package static let decimalBytesMax = 345

    /// Writes a double as canonical decimal text: no exponent, no redundant zeros, and no `-0`.
    ///
    /// Examples are `0.99`, `100`, and `-0.0001`. The digits are the fewest that are read as the
    /// same double. Infinities and NaN write nothing.
    package static func decimal(
        _ value: Double, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard value.isFinite else { return 0 }
        var text = value.description
        return text.withUTF8 { bytes in
            DecimalNumber(bytes).map { canonical($0, into: buffer) } ?? 0
        }
    }

    private static func canonical(
        _ number: DecimalNumber, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard abs(number.exponent) <= buffer.count else { return 0 }
        var writer = TextWriter(buffer)
        if number.isNegative, number.magnitude != 0 { writer.append(UInt8(ascii: "-")) }
        if number.exponent >= 0 {
            writer.append(number: number.magnitude)
            for _ in 0..<number.exponent { writer.append(UInt8(ascii: "0")) }
            return writer.finish()
        }
        let places = -number.exponent
        let power = UInt64.powerOfTen(min(places, 19))
        let whole = places > 19 ? 0 : number.magnitude / power
        let fraction = places > 19 ? number.magnitude : number.magnitude % power
        writer.append(number: whole)
        writer.append(UInt8(ascii: "."))
        if places > 19 {
            for _ in 0..<places - 19 { writer.append(UInt8(ascii: "0")) }
        }
        writer.append(number: fraction, width: min(places, 19))
        return writer.finish()
    }
}
