/// The reason why bytes cannot be read as an archive, in one sentence.
package struct ArchiveFault: Error, Sendable, Hashable {
    /// The reason, as a clause without a capital letter and a period.
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// A binary property list with the references of keyed archives (UIDs), which Foundation's readers
/// do not expose.
///
/// ```
/// "bplist00"  objects…  table of their offsets  trailer of 32 bytes
/// object = marker: kind in the high four bits, size in the low four (15: an integer follows)
/// trailer = 6 × 00, bytes of an offset, bytes of a reference, count, top object, table's offset
/// ```
/// Objects are read in place: nothing is copied, and references are followed only on request.
/// Invalid data therefore costs no more than the size of the file. The caller must handle cycles.
package struct BinaryPropertyList: Sendable {
    /// One object of the property list, with the positions of its content in the file.
    ///
    /// A `Range` is a range of the file's bytes. `first` is the offset of the first reference.
    package enum Node: Sendable, Hashable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        /// The time in seconds since 2001.
        case date(Double)
        case data(Range<Int>)
        case ascii(Range<Int>)
        case utf16(Range<Int>)
        case uid(Int)
        case list(first: Int, count: Int)
        /// All keys, followed by the same number of values.
        case dictionary(first: Int, count: Int)
    }

    private static let trailerBytes = 32

    /// The bytes of the file.
    package let bytes: [UInt8]
    /// The objects, by their numbers.
    package private(set) var nodes: [Node] = []
    /// The number of the top object.
    package let top: Int
    private let referenceBytes: Int
    private let objectsEnd: Int

    /// Returns whether the bytes begin like a binary property list.
    package static func isOne(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: Array("bplist0".utf8))
    }

    /// Creates a list from a file's bytes; throws if the header, trailer, or an object is invalid.
    package init(_ bytes: [UInt8]) throws(ArchiveFault) {
        guard Self.isOne(bytes), bytes.count > 8 + Self.trailerBytes else {
            throw ArchiveFault("it is not a binary property list")
        }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerBytes
        let offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes),
            let count = Self.number(bytes, trailer + 8, 8),
            let top = Self.number(bytes, trailer + 16, 8),
            let table = Self.number(bytes, trailer + 24, 8),
            count > 0, top < count, table >= 8, table < trailer,
            count <= (trailer - table) / offsetBytes
        else { throw ArchiveFault("the property list's trailer is damaged") }
        self.top = top
        objectsEnd = table
        nodes.reserveCapacity(count)
        for number in 0..<count {
            guard let offset = Self.number(bytes, table + number * offsetBytes, offsetBytes),
                let node = node(at: offset)
            else { throw ArchiveFault("object \(number) of the property list is damaged") }
            nodes.append(node)
        }
    }

    /// Returns the object of the reference at an offset; `nil` if the reference is invalid.
    func reference(_ place: Int) -> Int? {
        guard let number = Self.number(bytes, place, referenceBytes), number < nodes.count else {
            return nil
        }
        return number
    }

    /// Returns the object numbers of the items of a list.
    package func items(first: Int, count: Int) -> [Int] {
        (0..<count).compactMap { reference(first + $0 * referenceBytes) }
    }

    /// Returns the object numbers of the keys and values of a dictionary.
    package func entries(first: Int, count: Int) -> [(key: Int, value: Int)] {
        (0..<count).compactMap { place in
            guard let key = reference(first + place * referenceBytes),
                let value = reference(first + (count + place) * referenceBytes)
            else { return nil }
            return (key, value)
        }
    }

    /// Returns the string of an object; `nil` if the object is not a string.
    package func text(_ number: Int) -> String? {
        switch nodes[number] {
        case .ascii(let range): return String(decoding: bytes[range], as: UTF8.self)
        case .utf16(let range):
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(decoding: units, as: UTF16.self)
        default: return nil
        }
    }

    // MARK: Scanning

    /// Reads an unsigned big-endian integer; `nil` if it is out of bounds or too large.
    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        return Int(exactly: bits(bytes[place..<(place + count)]))
    }

    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func node(at offset: Int) -> Node? {
        guard offset >= 8, offset < objectsEnd else { return nil }
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0: return .null
            case 8: return .boolean(false)
            case 9: return .boolean(true)
            default: return nil
            }
        case 0x1: return integer(offset + 1, low)
        case 0x2: return real(offset + 1, low).map(Node.real)
        case 0x3: return low == 3 ? real(offset + 1, low).map(Node.date) : nil
        case 0x8:
            return low < 8 && offset + 2 + low <= objectsEnd
                ? Self.number(bytes, offset + 1, low + 1).map(Node.uid) : nil
        default: return sized(marker >> 4, offset, low)
        }
    }

    private func integer(_ place: Int, _ power: Int) -> Node? {
        guard power <= 4 else { return nil }
        // Of a 16-byte integer, use the lower 8 bytes, the most that `Int64` can hold.
        let count = 1 << power
        guard place + count <= objectsEnd else { return nil }
        let value = Self.bits(bytes[..<(place + count)].suffix(min(count, 8)))
        return .integer(Int64(bitPattern: value))
    }

    private func real(_ place: Int, _ power: Int) -> Double? {
        guard power == 2 || power == 3, place + (1 << power) <= objectsEnd else { return nil }
        let bits = Self.bits(bytes[place..<(place + (1 << power))])
        return power == 3
            ? Double(bitPattern: bits)
            : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    /// Reads an object whose size is in its marker or follows it.
    private func sized(_ kind: UInt8, _ offset: Int, _ low: Int) -> Node? {
        var (place, count) = (offset + 1, low)
        if low == 15 {
            guard place < objectsEnd, bytes[place] >> 4 == 1 else { return nil }
            let power = Int(bytes[place] & 0x0F)
            guard power <= 3, let size = Self.number(bytes, place + 1, 1 << power) else {
                return nil
            }
            (place, count) = (place + 1 + (1 << power), size)
        }
        func range(_ unitBytes: Int) -> Range<Int>? {
            guard place <= objectsEnd, count <= (objectsEnd - place) / unitBytes else { return nil }
            return place..<(place + count * unitBytes)
        }
        switch kind {
        case 0x4: return range(1).map(Node.data)
        case 0x5, 0x7: return range(1).map(Node.ascii)
        case 0x6: return range(2).map(Node.utf16)
        case 0xA, 0xB, 0xC:
            return range(referenceBytes).map { .list(first: $0.lowerBound, count: count) }
        case 0xD:
            return range(2 * referenceBytes).map { .dictionary(first: $0.lowerBound, count: count) }
        default: return nil
        }
    }
}
