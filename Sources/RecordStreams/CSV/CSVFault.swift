/// A syntax error in a CSV record.
enum CSVFault: Equatable {
    case textAfterQuote
    case quoteInField
    case unterminatedQuote
    case tooFewFields(Int, expected: Int)
    case tooManyFields(Int, expected: Int)
    case invalidUTF8
    case tooBig

    private static func fields(_ count: Int) -> String {
        count == 1 ? "1 field" : "\(count) fields"
    }

    /// Returns the fault as a reason to reject a record.
    ///
    /// - Parameter encoding: the encoding of the input.
    func recordFault(_ encoding: TextEncoding) -> RecordFault {
        switch self {
        case .textAfterQuote:
            RecordFault(
                code: "parse", detail: "csv.text-after-quote",
                message: "Text follows a closing quote",
                fix:
                    "double the quotes inside the field, set `read.escape: \"\\\\\"` if a "
                    + "backslash is before each, or set `quote: none` on this input")
        case .quoteInField:
            RecordFault(
                code: "parse", detail: "csv.quote-in-field",
                message: "A field that does not start with a quote contains one",
                fix: "enclose the field in quotes, or set `quote: none` on this input")
        case .unterminatedQuote:
            RecordFault(
                code: "parse", detail: "csv.unterminated-quote",
                message: "The quoted field is not closed",
                fix: "close the quote, or set `quote: none` on this input")
        case .tooFewFields(let count, let expected):
            RecordFault(
                code: "shape", detail: "csv.too-few-fields",
                message: "The record has \(Self.fields(count)) where the header has \(expected)",
                fix: "set `read.ragged: pad` to take missing fields as absent")
        case .tooManyFields(let count, let expected):
            RecordFault(
                code: "shape", detail: "csv.too-many-fields",
                message: "The record has \(Self.fields(count)) where the header has \(expected)",
                fix: "enclose fields that contain the delimiter in quotes"
                    + (expected > 1
                        ? ""
                        : "; if lines are above the header, set `read.skip` to their number, or "
                            + "`read.comment` to their first character"))
        case .invalidUTF8:
            RecordFault(
                code: "encoding",
                detail: encoding == .utf8 ? "csv.invalid-utf8" : "csv.invalid-text",
                message: encoding.fault, fix: encoding.fix)
        case .tooBig:
            RecordFault(
                code: "too-big", detail: "csv.record-too-big",
                message: "The record is larger than `read.max-record`",
                fix: "raise `read.max-record` if the record is valid")
        }
    }
}
