package import RecordStreams

/// The properties of an input that a run detected, in which its rejects are written and read again.
package struct RejectForm: Sendable, Hashable {
    /// The format of the records.
    package var format: RecordFormat
    /// Whether a lone CR ends a record of a table.
    package var endsAtReturn: Bool
}

/// The header of a table of rejects.
///
/// It is read like any other line, so bytes with a meaning in the dialect are quoted or escaped.
struct RejectHeader {
    private let delimiter: [UInt8]
    private let quote: UInt8?
    private let escape: UInt8?
    private let comment: UInt8?
    private let isFromSpec: Bool
    private let dropsTrailingDelimiter: Bool
    private static let space = UInt8(ascii: " ")

    init(_ options: ReadOptions, _ form: RejectForm) {
        delimiter = options.delimiter ?? form.format.delimiter
        quote = if case .byte(let byte) = options.quote { byte } else { nil }
        escape = options.escape
        comment = options.comment
        isFromSpec = options.columns != nil
        dropsTrailingDelimiter = options.dropsTrailingDelimiter
    }

    /// Returns the header without its line end.
    func line(_ names: [String]) -> [UInt8] {
        var line: [UInt8] = []
        for (index, name) in names.enumerated() {
            if index > 0 { line += delimiter }
            line += field(Array(name.utf8), isFirst: index == 0)
        }
        return dropsTrailingDelimiter ? line + delimiter : line
    }

    private func field(_ name: [UInt8], isFirst: Bool) -> [UInt8] {
        // A line of spaces before a header is skipped.
        let isSkipped =
            isFirst
            && (name.first == comment && comment != nil
                || name.first == Self.space && name.allSatisfy { $0 == Self.space })
        if let quote {
            guard isSkipped || name.contains(where: { isSign($0) || $0 == quote }) else {
                return name
            }
            return [quote] + name.flatMap { $0 == quote || $0 == escape ? [$0, $0] : [$0] }
                + [quote]
        }
        if let escape {
            return name.enumerated().flatMap { index, byte in
                isSign(byte) || isSkipped && index == 0 ? [escape, byte] : [byte]
            }
        }
        // The names of a header were read from such a line. A header is ignored if the spec names
        // the columns, in a replay as well.
        guard isFromSpec else { return name }
        return name.enumerated().map { index, byte in
            isSign(byte) || isSkipped && index == 0 ? UInt8(ascii: "_") : byte
        }
    }

    /// Returns whether a byte can end a field or a line, or hide the byte after it.
    private func isSign(_ byte: UInt8) -> Bool {
        byte == 10 || byte == 13 || byte == escape || delimiter.contains(byte)
    }
}
