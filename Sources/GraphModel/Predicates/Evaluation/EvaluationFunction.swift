// Rounding calls the C library's mathematics, which this import links.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The functions that can be evaluated so far.
enum EvaluationFunction: String {
    case lowercase, uppercase, trim, length, abs, floor, ceiling, round, coalesce
}

extension EvaluationProgram {
    /// The function's value; nil arguments give nil, except in `coalesce`.
    func call(
        _ function: EvaluationFunction, _ arguments: [Int], _ row: some EvaluationRow
    ) throws(EvaluationError) -> EvaluatedValue {
        var first = EvaluatedValue.null
        for argument in arguments {
            first = try value(argument, row)
            if function != .coalesce || !first.isNull { break }
        }
        if first.isNull { return .null }
        switch function {
        case .coalesce: return first
        case .lowercase: return .text(scratch.store(try string(first).lowercased().utf8))
        case .uppercase: return .text(scratch.store(try string(first).uppercased().utf8))
        case .trim: return .text(Self.trimmed(try text(first)))
        case .length: return .integer(Int64(ScalarParser.utf16Length(try text(first))))
        case .abs: return try absolute(number(first))
        case .floor: return try rounded(number(first), .down)
        case .ceiling: return try rounded(number(first), .up)
        case .round: return try rounded(number(first), .toNearestOrAwayFromZero)
        }
    }

    private func text(_ value: EvaluatedValue) throws(EvaluationError) -> ByteView {
        guard let bytes = value.textBytes else {
            throw .wrongKind(needed: "Text", found: value.kindName)
        }
        return bytes
    }

    private func string(_ value: EvaluatedValue) throws(EvaluationError) -> String {
        String(decoding: try text(value), as: UTF8.self)
    }

    private func absolute(_ number: NumericValue) throws(EvaluationError) -> EvaluatedValue {
        switch number {
        case .double(let value): return .double(value.magnitude)
        case .integer(let value):
            guard let magnitude = Int64(exactly: value.magnitude) else { throw .overflow }
            return .integer(magnitude)
        }
    }

    private func rounded(
        _ number: NumericValue, _ rule: FloatingPointRoundingRule
    ) -> EvaluatedValue {
        switch number {
        case .integer(let value): .integer(value)
        case .double(let value): .double(value.rounded(rule))
        }
    }

    /// Without the white space (Unicode's) at both ends.
    private static func trimmed(_ bytes: ByteView) -> ByteView {
        var start = 0
        var end = bytes.count
        while start < end {
            let length = whiteSpace(bytes, from: start, to: end, atEnd: false)
            if length == 0 { break }
            start += length
        }
        while end > start {
            let length = whiteSpace(bytes, from: start, to: end, atEnd: true)
            if length == 0 { break }
            end -= length
        }
        return ByteView(rebasing: bytes[start..<end])
    }

    /// How many bytes the white space character at one end has; 0 where there is none.
    private static func whiteSpace(
        _ bytes: ByteView, from start: Int, to end: Int, atEnd: Bool
    ) -> Int {
        // White space has one, two or three bytes in UTF-8.
        for length in 1...min(3, end - start) {
            let first = atEnd ? end - length : start
            var value = UInt32(bytes[first])
            switch length {
            case 1 where value < 0x80: break
            case 2 where value & 0xE0 == 0xC0:
                value = (value & 0x1F) << 6 | UInt32(bytes[first + 1] & 0x3F)
            case 3 where value & 0xF0 == 0xE0:
                value =
                    (value & 0x0F) << 12 | UInt32(bytes[first + 1] & 0x3F) << 6
                    | UInt32(bytes[first + 2] & 0x3F)
            default: continue
            }
            return Unicode.Scalar(value)?.properties.isWhitespace == true ? length : 0
        }
        return 0
    }
}
