public import FoundationEssentials
import XcodeModel

/// A property list value, which lets unknown keys survive a rewrite.
public enum PropertyListValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A Boolean value.
    case boolean(Bool)
    /// A date.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An array.
    case array([PropertyListValue])
    /// A dictionary.
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// Creates a value from a binary property list.
    ///
    /// The result is `nil` if the list has a null, a keyed archive's reference, or a key that is
    /// not a string, contains itself, nests deeper than 64 levels, or repeats a part so often that
    /// the result would be far larger than the file.
    init?(_ list: BinaryPropertyList) {
        var reader = BinaryReader(list: list, valuesLeft: list.bytes.count)
        guard let value = reader.value(list.top, depth: 0) else { return nil }
        self = value
    }

    private struct BinaryReader {
        let list: BinaryPropertyList
        /// The number of further values that may be read, by which a small file cannot expand
        /// without limit.
        ///
        /// Each value needs a reference in the file, unless parts repeat.
        var valuesLeft: Int

        mutating func value(_ number: Int, depth: Int) -> PropertyListValue? {
            valuesLeft -= 1
            guard depth < 64, valuesLeft >= 0 else { return nil }
            switch list.nodes[number] {
            case .boolean(let value): return .boolean(value)
            case .integer(let value): return .integer(value)
            case .real(let value): return .real(value)
            case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
            case .data(let range): return .data(Data(list.bytes[range]))
            case .ascii, .utf16: return list.text(number).map { .string($0) }
            case .null, .uid: return nil
            case .list(let first, let count):
                let items = list.items(first: first, count: count)
                let values = items.compactMap { value($0, depth: depth + 1) }
                return values.count == count ? .array(values) : nil
            case .dictionary(let first, let count):
                let entries = list.entries(first: first, count: count)
                guard entries.count == count else { return nil }
                var values: [String: PropertyListValue] = [:]
                for entry in entries {
                    guard let key = list.text(entry.key),
                        let value = value(entry.value, depth: depth + 1)
                    else { return nil }
                    values[key] = value
                }
                return .dictionary(values)
            }
        }
    }

    /// The value as a binary property list, with keys sorted by their characters.
    var binary: BinaryPlist {
        switch self {
        case .string(let value): .text(value)
        case .integer(let value): .integer(Int(value))
        case .real(let value): .real(value)
        case .boolean(let value): .boolean(value)
        case .date(let value): .date(value.timeIntervalSinceReferenceDate)
        case .data(let value): .data([UInt8](value))
        case .array(let values): .array(values.map(\.binary))
        case .dictionary(let values):
            .dictionary(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.binary) })
        }
    }
}
