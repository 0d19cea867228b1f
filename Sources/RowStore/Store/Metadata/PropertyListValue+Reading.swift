import FoundationEssentials
import XcodeModel

/// The parsing of property lists: binary, as Core Data writes them, or XML, as other tools do.
extension PropertyListValue {
    private static let xmlBytesMax = 16 << 20
    private static let xmlDepthMax = 100

    /// Parses a property list; `nil` if the bytes are not one.
    init?(reading bytes: [UInt8]) {
        // All callers treat other bytes as opaque, so the reason is not needed.
        if Self.isXML(bytes) {
            guard bytes.count <= Self.xmlBytesMax, Self.isShallow(bytes),
                let decoded = try? PropertyListDecoder().decode(
                    DecodedPropertyList.self, from: Data(bytes))
            else { return nil }
            self = decoded.value
        } else {
            guard let list = try? BinaryPropertyList(bytes) else { return nil }
            self.init(list)
        }
    }

    private static func isXML(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : ArraySlice(bytes)
        return ["<?xml", "<!DOCTYPE plist", "<plist"].contains { text.starts(with: $0.utf8) }
    }

    /// Returns whether the nesting of elements is within the limit of the decoder's stack.
    private static func isShallow(_ bytes: [UInt8]) -> Bool {
        var depth = 0
        for place in bytes.indices.dropLast() {
            if bytes[place] == UInt8(ascii: "<") {
                switch bytes[place + 1] {
                case UInt8(ascii: "/"): depth -= 1
                case UInt8(ascii: "?"), UInt8(ascii: "!"): break
                default: depth += 1
                }
                guard depth <= xmlDepthMax else { return false }
            } else if bytes[place] == UInt8(ascii: "/"), bytes[place + 1] == UInt8(ascii: ">") {
                depth -= 1
            }
        }
        return true
    }
}

/// A value of an XML property list.
private struct DecodedPropertyList: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    let value: PropertyListValue

    init(from decoder: any Decoder) throws {
        // The type of a value is found by trying each in turn; only the last attempt throws.
        if let entries = try? decoder.container(keyedBy: Key.self) {
            var values: [String: PropertyListValue] = [:]
            for key in entries.allKeys {
                values[key.stringValue] = try entries.decode(Self.self, forKey: key).value
            }
            value = .dictionary(values)
        } else if var items = try? decoder.unkeyedContainer() {
            var values: [PropertyListValue] = []
            while !items.isAtEnd { values.append(try items.decode(Self.self).value) }
            value = .array(values)
        } else {
            let single = try decoder.singleValueContainer()
            if let text = try? single.decode(String.self) {
                value = .string(text)
            } else if let boolean = try? single.decode(Bool.self) {
                value = .boolean(boolean)
            } else if let integer = try? single.decode(Int64.self) {
                value = .integer(integer)
            } else if let real = try? single.decode(Double.self) {
                value = .real(real)
            } else if let date = try? single.decode(Date.self) {
                value = .date(date)
            } else {
                value = .data(try single.decode(Data.self))
            }
        }
    }
}
