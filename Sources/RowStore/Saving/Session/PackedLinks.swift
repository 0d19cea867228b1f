/// Links packed into one row of a table: the owner and the destination of each link, as decimal
/// digits of fixed width.
///
/// A row for each link would cost more than the links themselves. This format can be read in plain
/// SQL, and the position of a link follows from its number.
struct PackedLinks {
    /// The maximum number of links in a row; four rows of this size fit in a page of 4,096 bytes.
    static let linksMax = 60

    private let bytes: UnsafeBufferPointer<UInt8>
    private let width: Int
    let count: Int

    /// Unpacks the links of one row.
    ///
    /// - Parameters:
    ///   - bytes: The content of the row, which must outlive this value.
    ///   - width: The width of each number in digits.
    init(_ bytes: UnsafeBufferPointer<UInt8>, width: Int64) {
        self.bytes = bytes
        self.width = Int(clamping: max(1, width))
        count = bytes.count / 2 / self.width
    }

    func owner(_ place: Int) -> Int64 { number(2 * place) }

    func destination(_ place: Int) -> Int64 { number(2 * place + 1) }

    private func number(_ place: Int) -> Int64 {
        precondition(place >= 0 && place < 2 * count, "The row does not have this link")
        var position = place * width
        let end = position + width
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var result: Int64 = 0
        while position < end {
            result = result &* 10 &+ Int64(bytes[position] &- UInt8(ascii: "0"))
            position += 1
        }
        return isNegative ? 0 &- result : result
    }

    /// Packs links into bytes.
    ///
    /// - Parameter bytes: The output, which is overwritten.
    /// - Returns: The width of each number in digits.
    static func pack(
        _ links: [(owner: Int64, destination: Int64)], into bytes: inout [UInt8]
    ) -> Int64 {
        var greatest: UInt64 = 0
        var isNegative = false
        for (owner, destination) in links {
            greatest = max(greatest, owner.magnitude, destination.magnitude)
            if owner < 0 || destination < 0 { isNegative = true }
        }
        var width = isNegative ? 2 : 1
        while greatest >= 10 {
            greatest /= 10
            width += 1
        }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 2 * width * links.count))
        bytes.withUnsafeMutableBufferPointer { bytes in
            var start = 0
            for (owner, destination) in links {
                write(owner, to: bytes, from: start, upTo: start + width)
                start += width
                write(destination, to: bytes, from: start, upTo: start + width)
                start += width
            }
        }
        return Int64(width)
    }

    private static func write(
        _ number: Int64, to bytes: UnsafeMutableBufferPointer<UInt8>, from start: Int, upTo end: Int
    ) {
        var rest = number.magnitude
        var position = end
        while rest > 0 {
            position -= 1
            precondition(position >= start, "The number is wider than its place")
            bytes[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        if number < 0 { bytes[start] = UInt8(ascii: "-") }
    }
}
