/// Writes numbers as text directly into a buffer.
enum NumberText {
    /// Appends the digits of an integer.
    static func append(_ value: Int64, to buffer: inout ByteBuffer) {
        buffer.reserve(20)
        if value < 0 { buffer.put(UInt8(ascii: "-")) }
        appendDigits(value.magnitude, minimum: 1, to: &buffer)
    }

    /// Appends the shortest decimal that reads back as the same double, in JSON's grammar.
    ///
    /// Numbers with up to 15 digits, of which at most six are decimals, are found by
    /// multiplication. If `m / 10^k` equals the double, the decimal `m` with `k` decimals reads
    /// back as it. No two decimals of 15 digits read back as the same double, so the one with the
    /// smallest `k` is the shortest. All other numbers use the standard library's description.
    ///
    /// - Returns: `false` for infinities and NaN, which have no text in this grammar.
    static func append(_ value: Double, to buffer: inout ByteBuffer) -> Bool {
        guard value.isFinite else { return false }
        let magnitude = value.magnitude
        if magnitude < 1e9, value != 0 || value.sign == .plus, magnitude >= 1e-3 || value == 0 {
            var scale = 1.0
            for places in 0...6 {
                // At most 15 digits, so adding the half is exact.
                let scaled = UInt64(magnitude * scale + 0.5)
                if Double(scaled) / scale == magnitude {
                    appendShort(value, scaled, UInt64(scale), places, to: &buffer)
                    return true
                }
                scale *= 10
            }
        }
        var text = value.description
        text.withUTF8 { buffer.append($0) }
        return true
    }

    private static func appendShort(
        _ value: Double, _ scaled: UInt64, _ scale: UInt64, _ places: Int,
        to buffer: inout ByteBuffer
    ) {
        buffer.reserve(32)
        if value.sign == .minus { buffer.put(UInt8(ascii: "-")) }
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: scale)
        appendDigits(whole, minimum: 1, to: &buffer)
        buffer.put(UInt8(ascii: "."))
        appendDigits(part, minimum: max(1, places), to: &buffer)
    }

    private static func appendDigits(
        _ value: UInt64, minimum: Int, to buffer: inout ByteBuffer
    ) {
        var digits = 1
        var limit: UInt64 = 10
        while value >= limit, digits < 20 {
            digits += 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        digits = max(digits, minimum)
        var rest = value
        var index = buffer.count + digits
        buffer.count = index
        for _ in 0..<digits {
            index -= 1
            buffer.start[index] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
            rest /= 10
        }
    }
}
