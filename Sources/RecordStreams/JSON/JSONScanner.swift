/// Skips one JSON value of any size and validates it; it can stop and resume at any byte.
///
/// It stores one bit for each open bracket (set for an object), so the depth limit bounds its
/// memory, whatever the size of the value. If the data ends inside a token that cannot be split (an
/// escape, a UTF-8 sequence, a literal), the scanner stops before it and must receive it again.
///
/// In lenient mode, the contents of strings and the spelling of numbers and literals are not
/// checked, only brackets, commas, and colons. This finds the end of a record that is itself
/// invalid.
package struct JSONScanner {
    /// The result of a call to `run`.
    enum Status {
        case done
        case more
        case failed
    }

    private enum State: UInt8 {
        case value, valueOrEnd, key, keyOrEnd, colon, afterValue, string, keyString
        case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent
        case word, done
    }

    private var state = State.value
    private var depth = 0
    /// The kinds of the open brackets: one bit each for the outermost 64, the others in a list.
    private var outerBrackets: UInt64 = 0
    private var innerBrackets: [UInt64] = []
    private let depthMax: Int
    private let isLenient: Bool
    private(set) var fault = JSONFault()

    init(depthMax: Int, isLenient: Bool = false) {
        self.depthMax = depthMax
        self.isLenient = isLenient
    }

    /// Returns whether the bytes are one JSON document by RFC 8259, including valid UTF-8.
    package static func validate(_ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int = 512) -> Bool {
        let chunk = ByteChunk()
        chunk.reserve(bytes.count)
        chunk.count = bytes.count
        if let start = bytes.baseAddress { chunk.start.update(from: start, count: bytes.count) }
        chunk.terminate(0)
        var position = UnsafePointer(chunk.start)
        let end = position + chunk.count
        if chunk.count >= 3, position[0] == 0xEF, position[1] == 0xBB, position[2] == 0xBF {
            position += 3
        }
        var scanner = JSONScanner(depthMax: depthMax)
        let status = scanner.run(&position, end: end)
        guard status == .done || (status == .more && position == end && scanner.isCompleteAtEnd)
        else { return false }
        return JSONToken.skipSpace(position, end: end) == end
    }

    /// Whether the value is complete if no more data follows, such as a single number.
    var isCompleteAtEnd: Bool {
        guard depth == 0 else { return false }
        switch state {
        case .zero, .integer, .fraction, .exponent, .word, .done: return true
        default: return false
        }
    }

    /// Continues at `position` and moves it.
    mutating func run(_ position: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> Status {
        while position < end {
            switch state {
            case .done: return .done
            case .string, .keyString:
                guard runString(&position, end: end) else { return status }
            case .minus, .zero, .integer, .point, .fraction, .exponentMark, .exponentSign,
                .exponent:
                guard runNumber(&position) else { return .failed }
            case .word: runWord(&position, end: end)
            default:
                let byte = position.pointee
                if JSONToken.isSpace(byte) {
                    position += 1
                } else {
                    guard step(byte, &position, end: end) else { return status }
                }
            }
        }
        return state == .done ? .done : .more
    }

    private var status: Status { fault.kind == .incomplete ? .more : .failed }

    private mutating func fail(_ kind: JSONFault.Kind, _ position: UnsafePointer<UInt8>) -> Bool {
        _ = fault.note(kind, at: position)
        return false
    }

    private mutating func step(
        _ byte: UInt8, _ position: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
    ) -> Bool {
        switch state {
        case .value, .valueOrEnd:
            if byte == UInt8(ascii: "]"), state == .valueOrEnd { return close(&position) }
            return startValue(byte, &position, end: end)
        case .key, .keyOrEnd:
            if byte == UInt8(ascii: "}"), state == .keyOrEnd { return close(&position) }
            guard byte == JSONToken.quote else { return fail(.unexpectedByte, position) }
            state = .keyString
        case .colon:
            guard byte == UInt8(ascii: ":") else { return fail(.unexpectedByte, position) }
            state = .value
        default:
            guard byte == UInt8(ascii: ",") else {
                let closing = isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
                return byte == closing ? close(&position) : fail(.unexpectedByte, position)
            }
            state = isInObject ? .key : .value
        }
        position += 1
        return true
    }

    private mutating func startValue(
        _ byte: UInt8, _ position: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
    ) -> Bool {
        switch byte {
        case JSONToken.quote: state = .string
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard open(isObject: byte == UInt8(ascii: "{")) else {
                return fail(.tooDeep, position)
            }
        case UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
            return fail(.unexpectedByte, position)
        case _ where isLenient:
            guard Self.isWordByte(byte) else { return fail(.unexpectedByte, position) }
            state = .word
        case UInt8(ascii: "-"): state = .minus
        case UInt8(ascii: "0"): state = .zero
        case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .integer
        default:
            var kind = Field.Kind.absent
            guard let next = JSONToken.word(position, end: end, fault: &fault, kind: &kind) else {
                return false
            }
            if next > end { return fail(.incomplete, position) }
            position = next
            valueEnded()
            return true
        }
        position += 1
        return true
    }

    private mutating func valueEnded() {
        state = depth == 0 ? .done : .afterValue
    }

    private var isInObject: Bool {
        let index = depth - 1
        let word = index < 64 ? outerBrackets : innerBrackets[index >> 6 - 1]
        return word >> UInt64(index & 63) & 1 == 1
    }

    private mutating func open(isObject: Bool) -> Bool {
        guard depth < depthMax else { return false }
        let bit = UInt64(1) << UInt64(depth & 63)
        if depth < 64 {
            outerBrackets = isObject ? outerBrackets | bit : outerBrackets & ~bit
        } else {
            let index = depth >> 6 - 1
            if index == innerBrackets.count { innerBrackets.append(0) }
            let word = innerBrackets[index]
            innerBrackets[index] = isObject ? word | bit : word & ~bit
        }
        depth += 1
        state = isObject ? .keyOrEnd : .valueOrEnd
        return true
    }

    private mutating func close(_ position: inout UnsafePointer<UInt8>) -> Bool {
        depth -= 1
        position += 1
        valueEnded()
        return true
    }

    private mutating func runString(
        _ position: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
    ) -> Bool {
        while true {
            position = min(Words.endOfPlainText(position), end)
            if position < end, position.pointee == JSONToken.quote {
                position += 1
                if state == .keyString { state = .colon } else { valueEnded() }
                return true
            }
            guard
                let next = JSONToken.special(
                    position, end: end, fault: &fault, isLenient: isLenient)
            else { return false }
            position = next
        }
    }

    private mutating func runNumber(_ position: inout UnsafePointer<UInt8>) -> Bool {
        let byte = position.pointee
        let isDigit = JSONToken.isDigit(byte)
        let isExponentMark = byte | 0x20 == UInt8(ascii: "e")
        switch state {
        case .minus where isDigit: state = byte == UInt8(ascii: "0") ? .zero : .integer
        case .integer where isDigit: break
        case .zero where byte == UInt8(ascii: "."), .integer where byte == UInt8(ascii: "."):
            state = .point
        case .point where isDigit, .fraction where isDigit: state = .fraction
        case .zero where isExponentMark, .integer where isExponentMark,
            .fraction where isExponentMark:
            state = .exponentMark
        case .exponentMark where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"):
            state = .exponentSign
        case .exponentMark where isDigit, .exponentSign where isDigit, .exponent where isDigit:
            state = .exponent
        case .zero, .integer, .fraction, .exponent:
            valueEnded()
            return true
        default: return fail(.badNumber, position)
        }
        position += 1
        return true
    }

    private mutating func runWord(
        _ position: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
    ) {
        while position < end, Self.isWordByte(position.pointee) { position += 1 }
        if position < end { valueEnded() }
    }

    /// Returns whether the byte can be part of a number or a literal.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
