import Diagnostics
import RecordStreams

/// The rejects of a stage: the count of each code, and the first rejects.
///
/// Its size is bounded, regardless of the number of rejects.
package struct RejectTally: Decodable, Sendable, Hashable {
    /// The rejects of one code.
    package struct Code: Decodable, Sendable, Hashable {
        /// The code, such as `cast`.
        package var code: String
        /// The number of records that were rejected with this code.
        package var count: Int
        /// The first five records that were rejected with this code.
        package var first: [Example]
    }

    /// A reject, as reports show it.
    package struct Example: Decodable, Sendable, Hashable {
        /// The code of the fault, such as `csv.unterminated-quote`.
        package var detail: String
        /// The path of the input that contains the record.
        package var file: String
        /// The number of the record in the input, from 1.
        package var record: Int?
        /// The line of the fault, from 1.
        package var line: Int?
        /// The byte in the line, from 1.
        package var column: Int?
        /// The byte offset in the uncompressed input, from 0.
        package var byte: Int?
        /// The field with the fault.
        package var field: String?
        /// The invalid value, or its beginning.
        package var value: String?
        /// The error message, in one sentence.
        package var message: String
    }

    private static let examplesMax = 5
    private static let textMax = 300

    /// One entry for each code, in order of first occurrence.
    private(set) package var codes: [Code] = []

    mutating func add(_ reject: RejectedRecord) {
        guard let place = codes.firstIndex(where: { $0.code == reject.code }) else {
            codes.append(Code(code: reject.code, count: 1, first: [Self.example(reject)]))
            return
        }
        codes[place].count += 1
        guard codes[place].first.count < Self.examplesMax else { return }
        codes[place].first.append(Self.example(reject))
    }

    static func example(_ reject: RejectedRecord) -> Example {
        /// Masks before it truncates, so that no part of a secret remains.
        func shown(_ text: String) -> String { truncated(OutputText.masked(text)) }
        let place = reject.location
        return Example(
            detail: reject.detail, file: OutputText.masked(place.source), record: place.record,
            line: place.line,
            column: place.column, byte: place.byteOffset, field: place.field,
            value: reject.value.map(shown), message: shown(reject.wholeMessage))
    }

    private static func truncated(_ text: String) -> String {
        guard text.utf8.count > textMax, text.count > textMax else { return text }
        return text.prefix(textMax - 1) + "…"
    }
}

extension RejectTally.Example {
    /// The reject as a diagnostic, as printed on stderr.
    var diagnostic: Diagnostic { diagnostic(detail, fix: nil) }

    /// Returns the reject as a diagnostic with the given code and fix.
    func diagnostic(_ code: String, fix: String?) -> Diagnostic {
        Diagnostic(
            code: code, message,
            at: .record(
                RecordLocation(
                    source: file, record: record, byteOffset: byte, line: line, column: column,
                    field: field)), fix: fix)
    }
}
