import GraphModel
import GraphStore
import RecordStreams

/// The preparation of a text before its cast: `clean`, and the separators of a `number`.
///
/// It belongs to its plan and can be used by one thread at a time.
final class TextPreparation {
    private let clean: [FieldMapping.Cleaning]
    private let decimal: [UInt8]
    private let thousands: [UInt8]
    private let isNumber: Bool
    private let scratch = EvaluationArena()

    /// Creates the preparation of a field.
    ///
    /// - Returns: `nil` if the field needs no preparation.
    init?(_ field: FieldMapping) {
        clean = field.clean
        if case .text(let decimal, let thousands)? = field.number?.kind {
            isNumber = true
            self.decimal = Array(decimal.utf8)
            self.thousands = Array((thousands ?? "").utf8)
        } else {
            guard !field.clean.isEmpty else { return nil }
            isNumber = false
            decimal = []
            thousands = []
        }
    }

    /// The decimal mark of the numbers in messages; `nil` if it is a point.
    var decimalMarkText: String? {
        switch decimal {
        case [], Array(".".utf8): nil
        case Array(",".utf8): "a decimal comma"
        default: "the decimal mark '\(String(decoding: decimal, as: UTF8.self))'"
        }
    }

    /// Returns the prepared text; other kinds of fields are returned unchanged.
    ///
    /// A text that is not a number in the given form also keeps its bytes, and the cast rejects it.
    func prepare(_ field: Field, _ arena: inout ByteArena) -> Field {
        guard field.kind == .string else { return field }
        defer { scratch.reset() }
        let cleaned = cleaned(field.bytes)
        var bytes = cleaned
        if isNumber {
            // Return a field that the cast rejects: unchanged, the text could be a valid number by
            // accident.
            guard let plain = plainNumber(cleaned),
                plain.withUnsafeBufferPointer({ ScalarParser.double($0) != nil })
            else {
                return Field(.json, start: field.start, count: Int(field.count))
            }
            bytes = scratch.store(plain)
        }
        guard bytes.baseAddress != field.bytes.baseAddress else {
            return field.slice(0..<bytes.count)
        }
        // A slice of the record's bytes needs no copy.
        if let start = field.start, let own = bytes.baseAddress, own >= start,
            own + bytes.count <= start + Int(field.count)
        {
            return Field(.string, start: own, count: bytes.count)
        }
        return Field(.string, start: arena.copy(bytes).baseAddress, count: bytes.count)
    }

    /// Returns the text after `clean`, in scratch memory or in its original memory.
    func cleaned(_ bytes: ByteView) -> ByteView {
        var bytes = bytes
        for step in clean {
            switch step {
            case .trim: bytes = TextFunctions.trimmed(bytes)
            case .lower: bytes = TextFunctions.cased(bytes, upper: false, scratch)
            case .upper: bytes = TextFunctions.cased(bytes, upper: true, scratch)
            case .nfc: bytes = scratch.store(TextComparison.folded(bytes, []))
            case .collapse: bytes = TextFunctions.collapsed(bytes, scratch)
            }
        }
        return bytes
    }

    /// Returns the number in JSON's notation, or `nil` if a group does not have three digits or a
    /// separator is invalid.
    private func plainNumber(_ bytes: ByteView) -> [UInt8]? {
        var result: [UInt8] = []
        var index = 0
        /// The number of digits since the last group separator, or `nil` before the first
        /// separator.
        var group: Int?
        var digits = 0
        var isFraction = false
        while index < bytes.count {
            let rest = bytes[index...]
            if !isFraction, !thousands.isEmpty, rest.starts(with: thousands) {
                guard digits > 0, group ?? 3 == 3, group != nil || digits <= 3 else { return nil }
                group = 0
                index += thousands.count
                continue
            }
            if !isFraction, rest.starts(with: decimal) {
                guard group ?? 3 == 3 else { return nil }
                isFraction = true
                result.append(UInt8(ascii: "."))
                index += decimal.count
                continue
            }
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") { return nil }
            if byte &- UInt8(ascii: "0") <= 9 {
                digits += 1
                if !isFraction, let count = group { group = count + 1 }
            }
            result.append(byte)
            index += 1
        }
        guard isFraction || group ?? 3 == 3 else { return nil }
        return result
    }
}
