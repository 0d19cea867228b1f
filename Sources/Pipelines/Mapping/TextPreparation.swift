import GraphModel
import GraphStore
import RecordStreams

/// What is done to a text before it is cast: `clean`, and the signs of a `number`.
///
/// For one thread at a time, which its plan belongs to.
final class TextPreparation {
    private let clean: [FieldMapping.Cleaning]
    private let decimal: [UInt8]
    private let thousands: [UInt8]
    private let isNumber: Bool
    private let scratch = EvaluationArena()

    /// - Returns: nil where nothing is to be done.
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

    /// The text prepared; other kinds of fields stay as they are.
    ///
    /// A text that is no number in the given form stays too, for the cast to refuse.
    func prepare(_ field: Field, _ arena: inout ByteArena) -> Field {
        guard field.kind == .string else { return field }
        defer { scratch.reset() }
        let cleaned = cleaned(field.bytes)
        var bytes = cleaned
        if isNumber {
            // Digits with another point are no number; what stays could be one by accident.
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
        // A slice of the record's own bytes needs no copy.
        if let start = field.start, let own = bytes.baseAddress, own >= start,
            own + bytes.count <= start + Int(field.count)
        {
            return Field(.string, start: own, count: bytes.count)
        }
        return Field(.string, start: arena.copy(bytes).baseAddress, count: bytes.count)
    }

    /// The text after `clean`, in scratch memory or its own.
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

    /// The number in JSON's spelling; nil where groups are not of three digits, or signs are amiss.
    private func plainNumber(_ bytes: ByteView) -> [UInt8]? {
        var result: [UInt8] = []
        var index = 0
        /// Digits since the last sign between groups; nil before the first one.
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
