internal import Digests

extension PredicateFunction {
    /// The functions that choose or convert a value.
    static let conversions = [
        PredicateFunction(
            "coalesce", ["value": .any], most: 100, gives: .common,
            meaning: "The first of the values that is not nil.", example: "coalesce(nil, 'none')",
            is: "'none'", by: .firstValue),
        PredicateFunction(
            "cast", ["value": .any, "type": .typeName], gives: .cast,
            meaning:
                "The value converted to another attribute type; an error if information would be lost.",
            example: "cast('42', 'Integer 64')", is: "42",
            by: .values { values, context throws(EvaluationError) in
                let name = String(decoding: try values.second.neededText(), as: UTF8.self)
                guard let type = AttributeType(rawValue: name) else {
                    throw .uncastable(values.first.kindName, type: name)
                }
                return try CastFunction(type: type, arena: context.arena).cast(values.first)
            }),
        PredicateFunction(
            "date", ["text": .text, "pattern": .datePattern], gives: .date,
            meaning:
                "The date in a string, read with a Unicode date pattern; `yy` is 1950 to 2049.",
            example: "date('31.01.2026', 'dd.MM.yyyy')", is: "cast('2026-01-31', 'Date')",
            by: .values { values, context throws(EvaluationError) in
                let text = try values.first.neededText()
                let pattern = try context.datePattern(values.second.neededText())
                guard let seconds = pattern.parse(text) else {
                    throw .notADate(EvaluationError.excerpt(text))
                }
                return .date(seconds)
            }),
        PredicateFunction(
            "format", ["date": .date, "pattern": .datePattern], gives: .text,
            meaning: "The date in UTC, written with a Unicode date pattern.",
            example: "format(cast('2026-01-31', 'Date'), 'd.M.yy')", is: "'31.1.26'",
            traits: [.takesMoreOfRecords],
            by: .values { values, context throws(EvaluationError) in
                let pattern = try context.datePattern(values.second.neededText())
                guard let text = pattern.format(try seconds(values.first)) else { throw .overflow }
                return .text(context.arena.store(text))
            }),
    ]

    /// The functions for the time of the run.
    static let moments = [
        PredicateFunction(
            "now", [:], gives: .date, meaning: "The time at which the run began.",
            example: "now()",
            foundation: "now", by: .moment { $0 }),
        PredicateFunction(
            "today", [:], gives: .date, meaning: "The day of the run, at 00:00 UTC.",
            example: "today()",
            by: .moment { ($0 / 86_400).rounded(.down) * 86_400 }),
    ]

    /// The functions that generate UUIDs.
    static let identifiers = [
        PredicateFunction(
            "uuid", [:], gives: .uuid, meaning: "A new random UUID for each call.",
            example: "uuid()", traits: [.isVolatile],
            by: .values { _, context throws(EvaluationError) in
                var random = SystemRandomNumberGenerator()
                let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
                return .uuid(context.arena.store(stamped(bytes, version: 4)))
            }),
        PredicateFunction(
            "uuid5", ["namespace": .uuid, "name": .text], gives: .uuid,
            meaning: "The UUID of a name, the same each time (RFC 9562).",
            example:
                "cast(uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'python.org'), 'String')",
            is: "'886313E1-3B8A-5372-9B90-0C9AEE199E5D'",
            by: .values { values, context throws(EvaluationError) in
                var digest = ByteDigest(.sha1)
                digest.add(Array(try uuid(values.first, context.arena)))
                digest.add(Array(try values.second.neededText()))
                return .uuid(context.arena.store(stamped(digest.value, version: 5)))
            }),
    ]

    private static func seconds(_ value: EvaluatedValue) throws(EvaluationError) -> Double {
        if case .date(let seconds) = value { return seconds }
        guard let bytes = value.textBytes else {
            throw .wrongKind(needed: "A date", found: value.kindName)
        }
        guard let seconds = ScalarParser.isoDate(bytes) else {
            throw .notADate(EvaluationError.excerpt(bytes))
        }
        return seconds
    }

    /// Returns the first 16 bytes as a UUID, with the bits for its version and variant set.
    ///
    /// See RFC 9562, section 4.
    private static func stamped(_ bytes: [UInt8], version: UInt8) -> [UInt8] {
        var bytes = Array(bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }

    /// Returns the bytes of a UUID or of its text.
    private static func uuid(
        _ value: EvaluatedValue, _ arena: EvaluationArena
    ) throws(EvaluationError) -> ByteView {
        if case .uuid(let bytes) = value { return bytes }
        guard let text = value.textBytes else {
            throw .wrongKind(needed: "A UUID", found: value.kindName)
        }
        guard let bytes = ScalarParser.uuid(text, arena) else {
            throw .notAUUID(EvaluationError.excerpt(text))
        }
        return bytes
    }
}

extension ScalarParser {
    /// Returns the bytes of a UUID's text; `nil` if it is not a UUID.
    static func uuid(_ text: ByteView, _ arena: EvaluationArena) -> ByteView? {
        let block = arena.allocate(16)
        guard let start = block.baseAddress, uuid(text, into: start) else { return nil }
        return ByteView(block)
    }
}
