import GraphModel
import GraphStore
import RecordStreams

/// An `expr` of a spec: computes a field from a record, which is then cast like any other field.
///
/// It belongs to its plan and can be used by one thread at a time.
final class RecordExpression {
    private let expression: CompiledExpression

    init(_ expression: CompiledExpression) {
        self.expression = expression
    }

    /// Returns the computed field; new bytes are stored in the arena.
    func field(_ row: RecordRow, _ arena: inout ByteArena) throws(CastFailure) -> Field {
        let value: EvaluatedValue
        do throws(EvaluationError) {
            value = try expression.evaluate(row)
        } catch {
            throw CastFailure(code: "expr", message: error.description)
        }
        if value.isNull { return Field(.null) }
        switch value {
        // An expression over records never returns these values: it fails for lists and objects.
        case .null, .object, .nested: return Field(.null)
        case .boolean(let flag): return Field(flag ? .true : .false)
        case .integer(let number):
            return Self.field(.number, most: 24, &arena) {
                ScalarFormatter.integer(number, into: $0)
            }
        case .double(let number):
            guard number.isFinite else {
                throw CastFailure(
                    code: "expr", message: "The result of the arithmetic is too large")
            }
            return Self.field(.number, most: 24, &arena) {
                ScalarFormatter.double(number, into: $0)
            }
        case .number(let bytes), .decimal(let bytes): return Self.copy(bytes, .number, &arena)
        case .text(let bytes), .untypedText(let bytes): return Self.copy(bytes, .string, &arena)
        case .date(let seconds):
            return Self.field(.string, most: ScalarFormatter.isoDateBytesMax, &arena) {
                ScalarFormatter.isoDate(seconds, into: $0)
            }
        case .uuid(let bytes):
            return Self.field(.string, most: ScalarFormatter.uuidBytes, &arena) {
                ScalarFormatter.uuid(bytes, into: $0)
            }
        case .binary(let bytes):
            return Self.field(
                .string, most: ScalarFormatter.base64Bytes(bytes.count), &arena
            ) { ScalarFormatter.base64(bytes, into: $0) }
        }
    }

    /// Returns a copy whose address is never null, because an empty text is also a value.
    private static func copy(
        _ bytes: ByteView, _ kind: Field.Kind, _ arena: inout ByteArena
    ) -> Field {
        let target = arena.allocate(max(1, bytes.count))
        if let base = bytes.baseAddress { target.update(from: base, count: bytes.count) }
        return Field(kind, start: target, count: bytes.count)
    }

    private static func field(
        _ kind: Field.Kind, most: Int, _ arena: inout ByteArena,
        _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) -> Field {
        let target = arena.allocate(max(1, most))
        let count = write(UnsafeMutableBufferPointer(start: target, count: most))
        arena.giveBack(max(1, most) - max(1, count))
        return Field(kind, start: target, count: count)
    }
}
