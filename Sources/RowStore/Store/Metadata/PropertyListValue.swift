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
    /// Creates a value from a binary property list; `nil` if it contains a keyed archive's
    /// reference.
    init?(_ value: BinaryPlist) {
        switch value {
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(Int64(value))
        case .real(let value): self = .real(value)
        case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let bytes): self = .data(Data(bytes))
        case .text(let text): self = .string(text)
        case .uid: return nil
        case .array(let items):
            let values = items.compactMap { PropertyListValue($0) }
            guard values.count == items.count else { return nil }
            self = .array(values)
        case .dictionary(let entries):
            var values: [String: PropertyListValue] = [:]
            for (key, entry) in entries {
                guard let value = PropertyListValue(entry) else { return nil }
                values[key] = value
            }
            self = .dictionary(values)
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
