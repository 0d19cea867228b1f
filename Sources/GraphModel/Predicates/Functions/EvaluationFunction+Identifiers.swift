internal import Digests

extension EvaluationFunction {
    /// `uuid()`, `uuid5(namespace, name)` and `sha256(text or bytes)`.
    func identifier(
        _ first: EvaluatedValue, _ second: EvaluatedValue, _ arena: EvaluationArena
    ) throws(EvaluationError) -> EvaluatedValue {
        switch self {
        case .uuid:
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            return .uuid(arena.store(Self.stamped(bytes, version: 4)))
        case .uuid5:
            var digest = ByteDigest(.sha1)
            digest.add(Array(try Self.uuid(first, arena)))
            digest.add(Array(try second.neededText()))
            return .uuid(arena.store(Self.stamped(digest.value, version: 5)))
        default:
            let bytes: ByteView
            switch first {
            case .binary(let data), .uuid(let data): bytes = data
            default: bytes = try first.neededText()
            }
            let digits = Array("0123456789abcdef".utf8)
            var text: [UInt8] = []
            for byte in ByteDigest.of(Array(bytes)) {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
            return .text(arena.store(text))
        }
    }

    /// The first sixteen bytes with version and variant (RFC 9562, section 4).
    private static func stamped(_ bytes: [UInt8], version: UInt8) -> [UInt8] {
        var bytes = Array(bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }

    /// A UUID's bytes, from a UUID or its text.
    static func uuid(
        _ value: EvaluatedValue, _ arena: EvaluationArena
    ) throws(EvaluationError) -> ByteView {
        if case .uuid(let bytes) = value { return bytes }
        guard let text = value.textBytes else {
            throw .wrongKind(needed: "A UUID", found: value.kindName)
        }
        let block = arena.allocate(16)
        guard let start = block.baseAddress, ScalarParser.uuid(text, into: start) else {
            throw .notAUUID(EvaluationError.excerpt(text))
        }
        return ByteView(block)
    }
}
