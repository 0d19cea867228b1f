/// A value of a binary property list, with the references of keyed archives (UIDs).
package indirect enum BinaryPlist {
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    /// The time in seconds since 2001.
    case date(Double)
    case data([UInt8])
    case text(String)
    case uid(Int)
    case array([BinaryPlist])
    case dictionary([(String, BinaryPlist)])

    /// The bytes of a property list file.
    ///
    /// Equal strings and numbers are written once. Integers, offsets, and references have the
    /// smallest size that fits, as in files written by Foundation.
    package var bytes: [UInt8] {
        var writer = BinaryPlistWriter()
        let top = writer.add(self)
        return writer.file(top: top)
    }
}

/// The objects of a property list to write; the size of a reference depends on their number.
private struct BinaryPlistWriter {
    private enum Object {
        case scalar([UInt8])
        /// An array (0xA) or a dictionary (0xD) of `count` entries, with all its references.
        case collection(kind: UInt8, count: Int, references: [Int])
    }

    private var objects: [Object] = []
    private var scalars: [[UInt8]: Int] = [:]

    /// Adds a value with all its contents.
    ///
    /// - Returns: the object's number.
    mutating func add(_ value: BinaryPlist) -> Int {
        switch value {
        case .boolean(let value): return add(scalar: [value ? 0x09 : 0x08])
        case .integer(let value): return add(scalar: Self.integer(value))
        case .real(let value): return add(scalar: [0x23] + Self.bytes(value.bitPattern, 8))
        case .date(let value): return add(scalar: [0x33] + Self.bytes(value.bitPattern, 8))
        case .data(let bytes): return add(scalar: Self.marker(0x4, bytes.count) + bytes)
        case .text(let text): return add(scalar: Self.text(text))
        case .uid(let number):
            let width = Self.width(UInt64(number))
            return add(scalar: [0x80 | UInt8(width - 1)] + Self.bytes(UInt64(number), width))
        case .array(let items):
            let number = reserve()
            let references = items.map { add($0) }
            objects[number] = .collection(kind: 0xA, count: items.count, references: references)
            return number
        case .dictionary(let entries):
            let number = reserve()
            let keys = entries.map { add(.text($0.0)) }
            let values = entries.map { add($0.1) }
            objects[number] = .collection(
                kind: 0xD, count: entries.count, references: keys + values)
            return number
        }
    }

    func file(top: Int) -> [UInt8] {
        let referenceWidth = Self.width(UInt64(objects.count - 1))
        var file = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(file.count)
            switch object {
            case .scalar(let bytes): file += bytes
            case .collection(let kind, let count, let references):
                file += Self.marker(kind, count)
                for number in references { file += Self.bytes(UInt64(number), referenceWidth) }
            }
        }
        let table = file.count
        let offsetWidth = Self.width(UInt64(table))
        for offset in offsets { file += Self.bytes(UInt64(offset), offsetWidth) }
        file += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        for number in [objects.count, top, table] { file += Self.bytes(UInt64(number), 8) }
        return file
    }

    private mutating func reserve() -> Int {
        objects.append(.scalar([]))
        return objects.count - 1
    }

    private mutating func add(scalar bytes: [UInt8]) -> Int {
        if let known = scalars[bytes] { return known }
        objects.append(.scalar(bytes))
        scalars[bytes] = objects.count - 1
        return objects.count - 1
    }

    // MARK: Bytes

    private static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    /// Returns the number of bytes that a number needs: 1, 2, 4, or 8.
    private static func width(_ value: UInt64) -> Int {
        switch value {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    /// Returns the object of an integer; only 8-byte integers have a sign.
    private static func integer(_ value: Int) -> [UInt8] {
        let bits = UInt64(bitPattern: Int64(value))
        let width = width(bits)
        return [0x10 | UInt8(width.trailingZeroBitCount)] + bytes(bits, width)
    }

    /// Returns the marker of an object, followed by its size if it is 15 or more.
    private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15] + integer(count)
    }

    private static func text(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return marker(0x5, text.utf8.count) + text.utf8
        }
        return marker(0x6, text.utf16.count) + text.utf16.flatMap { bytes(UInt64($0), 2) }
    }
}
