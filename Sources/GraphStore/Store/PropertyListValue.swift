public import FoundationEssentials
import XcodeModel

/// Any value of a property list, so that keys we do not know survive a rewrite.
public enum PropertyListValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// True or false.
    case boolean(Bool)
    /// A moment.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A list.
    case array([PropertyListValue])
    /// Values by key.
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// The value of a binary property list; nil of a reference of a keyed archive.
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

    /// The same as a binary property list has it, keys in the order of their characters.
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
