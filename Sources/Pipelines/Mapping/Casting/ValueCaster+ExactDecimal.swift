import GraphModel
import GraphStore
import RecordStreams

/// Decimals in stores that keep all digits.
extension ValueCaster {
    /// Returns the canonical text, which is usually the record's own text.
    func exactDecimal(
        _ field: Field, _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        guard isTextOrNumber(field) else {
            throw failure(field, "a decimal number")
        }
        if ExactDecimal.isCanonical(field.bytes) { return .text(field.bytes) }
        let read = ExactDecimal(field.bytes)
        guard let number = read, number.isStorable else {
            let isNumber = read != nil || ScalarParser.double(field.bytes) != nil
            guard isNumber else { throw failure(ofNumber: field, "a decimal number") }
            throw failure(field, Self.wantedExactDecimal(read))
        }
        return arena.cell(.text(number.text))
    }

    /// Returns the description of a number that can be stored exactly.
    ///
    /// - Parameter number: The number, or `nil` if it has too many digits to be parsed.
    static func wantedExactDecimal(_ number: ExactDecimal?) -> String {
        number == nil
            ? "a decimal number of at most \(ExactDecimal.digitsMax) digits"
            : "a decimal number of at most \(ExactDecimal.wholeDigitsMax) digits before the point "
                + "and \(ExactDecimal.placesMax) after it"
    }
}
