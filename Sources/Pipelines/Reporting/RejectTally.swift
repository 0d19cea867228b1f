import Diagnostics
import RecordStreams

/// The rejects of a stage: how many of each code, and the first of them.
///
/// Its size is bounded, however many there are.
package struct RejectTally: Decodable, Sendable, Hashable {
    /// The rejects of one code.
    package struct Code: Decodable, Sendable, Hashable {
        /// The code, such as `cast`.
        package var code: String
        /// How many there are.
        package var count: Int
        /// The first of them.
        package var first: [Example]
    }

    /// A reject as it is shown.
    package struct Example: Decodable, Sendable, Hashable {
        /// The fault itself, such as `csv.unterminated-quote`.
        package var detail: String
        /// The input.
        package var file: String
        /// The record in it, from 1 on.
        package var record: Int?
        /// The line of the fault, from 1 on.
        package var line: Int?
        /// The byte in the line, from 1 on.
        package var column: Int?
        /// The byte in the input, inflated and from 0 on.
        package var byte: Int?
        /// The field at fault.
        package var field: String?
        /// The value at fault, or the beginning of it.
        package var value: String?
        /// What is wrong, in one sentence.
        package var message: String
    }

    private static let examplesMax = 5
    private static let textMax = 300

    /// In the order in which they came up.
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
        /// In this order: of a secret that is cut through, nothing may stay.
        func shown(_ text: String) -> String { cut(OutputText.masked(text)) }
        let place = reject.location
        return Example(
            detail: reject.detail, file: place.source, record: place.record,
            line: place.line,
            column: place.column, byte: place.byteOffset, field: place.field,
            value: reject.value.map(shown), message: shown(reject.wholeMessage))
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textMax, text.count > textMax else { return text }
        return text.prefix(textMax - 1) + "…"
    }
}

extension RejectTally.Example {
    /// The reject as it is shown on stderr.
    var diagnostic: Diagnostic { diagnostic(detail, fix: nil) }

    /// - Parameter code: the code to show.
    func diagnostic(_ code: String, fix: String?) -> Diagnostic {
        Diagnostic(
            code: code, message,
            at: .record(
                RecordLocation(
                    source: file, record: record, byteOffset: byte, line: line, column: column,
                    field: field)), fix: fix)
    }
}
