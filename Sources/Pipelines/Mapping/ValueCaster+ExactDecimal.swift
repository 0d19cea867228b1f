import GraphModel
import GraphStore
import RecordStreams

/// Decimals of stores that keep all digits.
extension ValueCaster {
    /// The canonical text, which is most often the record's own.
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
            throw failure(field, isNumber ? Self.wantedExactDecimal(read) : "a decimal number")
        }
        return arena.cell(.text(number.text))
    }

    /// What a number should be that is not kept.
    ///
    /// - Parameter number: nil where it has too many digits to be read.
    static func wantedExactDecimal(_ number: ExactDecimal?) -> String {
        number == nil
            ? "a decimal number of at most \(ExactDecimal.digitsMax) digits"
            : "a decimal number of at most \(ExactDecimal.wholeDigitsMax) digits before the point "
                + "and \(ExactDecimal.placesMax) behind it"
    }
}
