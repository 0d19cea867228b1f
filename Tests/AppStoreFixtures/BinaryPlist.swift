/// A value of a binary property list, references of keyed archives included.
package indirect enum BinaryPlist {
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case date(Double)
    case data([UInt8])
    case text(String)
    case uid(Int)
    case array([BinaryPlist])
    case dictionary([(String, BinaryPlist)])

    /// The file.
    package var bytes: [UInt8] {
        var objects: [[UInt8]] = []
        let top = Self.add(self, to: &objects)
        var file = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(file.count)
            file += object
        }
        let table = file.count
        for offset in offsets { file += Self.number(offset, 4) }
        file += [0, 0, 0, 0, 0, 0, 4, 4]
        return file + Self.number(objects.count, 8) + Self.number(top, 8) + Self.number(table, 8)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    private static func sized(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + number(count, 4)
    }

    /// - Returns: the object's number.
    private static func add(_ value: BinaryPlist, to objects: inout [[UInt8]]) -> Int {
        let place = objects.count
        objects.append([])
        switch value {
        case .boolean(let value): objects[place] = [value ? 9 : 8]
        case .integer(let value): objects[place] = [0x13] + number(value, 8)
        case .real(let value):
            objects[place] = [0x23] + number(Int(bitPattern: UInt(value.bitPattern)), 8)
        case .date(let value):
            objects[place] = [0x33] + number(Int(bitPattern: UInt(value.bitPattern)), 8)
        case .data(let bytes): objects[place] = sized(4, bytes.count) + bytes
        case .uid(let number): objects[place] = [0x83] + Self.number(number, 4)
        case .text(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }) {
                objects[place] = sized(5, text.utf8.count) + text.utf8
            } else {
                objects[place] =
                    sized(6, text.utf16.count) + text.utf16.flatMap { number(Int($0), 2) }
            }
        case .array(let items):
            let references = items.map { add($0, to: &objects) }
            objects[place] = sized(0xA, items.count) + references.flatMap { number($0, 4) }
        case .dictionary(let entries):
            let keys = entries.map { add(.text($0.0), to: &objects) }
            let values = entries.map { add($0.1, to: &objects) }
            objects[place] =
                sized(0xD, entries.count) + (keys + values).flatMap { number($0, 4) }
        }
        return place
    }
}
