internal import FoundationEssentials
internal import GraphModel

/// A converter to JSON for property lists, and for keyed archives of Foundation's plain classes
/// only.
///
/// Dates become ISO 8601 strings, bytes become Base64, UUIDs and URLs become strings, and sets
/// become arrays. Archives of other classes are not converted, because they have no meaning without
/// these classes.
package enum ArchiveJSON {
    private static let depthMax = 64
    private static let nodesMax = 1_000_000

    /// Returns the JSON; `nil` if the bytes are not a property list or archive of this kind.
    package static func text(of bytes: [UInt8]) -> [UInt8]? {
        guard BinaryPropertyList.isOne(bytes),
            let root = try? KeyedArchive(plainOrKeyed: bytes).root
        else { return nil }
        var writer = Writer()
        return writer.write(root, depth: 0) ? writer.json : nil
    }

    private struct Writer {
        var json: [UInt8] = []
        var nodes = 0

        /// Writes an object.
        ///
        /// - Returns: `false` if the object is not plain or exceeds a limit, for example because of
        ///   a cycle.
        mutating func write(_ node: ArchivedNode, depth: Int) -> Bool {
            nodes += 1
            guard depth < ArchiveJSON.depthMax, nodes < ArchiveJSON.nodesMax else { return false }
            if let text = node.text {
                quote(text)
            } else if let date = node.date {
                return quoteASCII(64) { ScalarFormatter.isoDate(date, into: $0) }
            } else if let bytes = node.data {
                quote(Data(bytes).base64EncodedString())
            } else if let number = node.jsonNumber {
                json += number.utf8
            } else if let items = node.items {
                return write("[", "]", items) { $0.write($1, depth: depth + 1) }
            } else if let entries = node.entries {
                let texts = entries.compactMap { entry in
                    (entry.key.text ?? entry.key.jsonNumber).map { ($0, entry.value) }
                }
                guard texts.count == entries.count else { return false }
                return write("{", "}", texts.sorted { $0.0 < $1.0 }) { writer, entry in
                    writer.quote(entry.0)
                    writer.json.append(UInt8(ascii: ":"))
                    return writer.write(entry.1, depth: depth + 1)
                }
            } else {
                return writeObject(node)
            }
            return true
        }

        private mutating func writeObject(_ node: ArchivedNode) -> Bool {
            switch node.className {
            case "NSNull": json += "null".utf8
            case "NSUUID":
                guard let bytes = node["NS.uuidbytes"]?.data, bytes.count == 16 else {
                    return false
                }
                return bytes.withUnsafeBufferPointer { bytes in
                    quoteASCII(64) { ScalarFormatter.uuid(bytes, into: $0) }
                }
            case "NSURL":
                guard let text = node["NS.relative"]?.text, node["NS.base"] == nil else {
                    return false
                }
                quote(text)
            default: return false
            }
            return true
        }

        private mutating func write<Item>(
            _ begin: Unicode.Scalar, _ end: Unicode.Scalar, _ items: [Item],
            _ body: (inout Writer, Item) -> Bool
        ) -> Bool {
            json.append(UInt8(ascii: begin))
            for (place, item) in items.enumerated() {
                if place > 0 { json.append(UInt8(ascii: ",")) }
                guard body(&self, item) else { return false }
            }
            json.append(UInt8(ascii: end))
            return true
        }

        /// Writes the output of a formatter in quotes; returns `false` if it is empty.
        private mutating func quoteASCII(
            _ room: Int, _ format: (UnsafeMutableBufferPointer<UInt8>) -> Int
        ) -> Bool {
            let bytes = [UInt8](unsafeUninitializedCapacity: room) { $1 = format($0) }
            guard !bytes.isEmpty else { return false }
            json.append(UInt8(ascii: "\""))
            json += bytes
            json.append(UInt8(ascii: "\""))
            return true
        }

        private mutating func quote(_ text: String) {
            json.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    json += [UInt8(ascii: "\\"), byte]
                case 0..<0x20:
                    let digits = String(byte, radix: 16)
                    json += "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8
                default: json.append(byte)
                }
            }
            json.append(UInt8(ascii: "\""))
        }
    }
}

extension KeyedArchive {
    /// Reads a keyed archive, or a plain property list, whose top object is then the root.
    fileprivate init(plainOrKeyed bytes: [UInt8]) throws(ArchiveFault) {
        do throws(ArchiveFault) {
            self = try KeyedArchive(bytes)
        } catch {
            self = try KeyedArchive(plain: bytes)
        }
    }
}

extension ArchivedNode {
    /// A number or a Boolean in JSON; `nil` for other values and for numbers that are not finite.
    fileprivate var jsonNumber: String? {
        switch value {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value) where value.isFinite: "\(value)"
        default: nil
        }
    }
}
