import GraphStore

/// JSON text made of bytes.
enum JSONText {
    /// The text in quotes, with what must be escaped escaped (RFC 8259 section 7).
    static func quote(
        _ bytes: UnsafeBufferPointer<UInt8>, into arena: inout ByteArena
    ) -> UnsafeBufferPointer<UInt8> {
        let most = bytes.count * 6 + 2
        var output = Output(target: arena.allocate(most))
        output.put(UInt8(ascii: "\""))
        for byte in bytes { output.escape(byte) }
        output.put(UInt8(ascii: "\""))
        arena.giveBack(most - output.count)
        return UnsafeBufferPointer(start: output.target, count: output.count)
    }

    /// The pieces of a text between its separators as an array; an empty text has none.
    static func list(
        _ bytes: UnsafeBufferPointer<UInt8>, cutAt separator: [UInt8], into arena: inout ByteArena
    ) -> UnsafeBufferPointer<UInt8> {
        // A separator has at least one byte, and `","` needs fewer than its escape might.
        let most = bytes.count * 6 + 4
        var output = Output(target: arena.allocate(most))
        output.put(UInt8(ascii: "["))
        if !bytes.isEmpty {
            output.put(UInt8(ascii: "\""))
            var position = 0
            while position < bytes.count {
                if bytes[position...].starts(with: separator) {
                    for byte in "\",\"".utf8 { output.put(byte) }
                    position += separator.count
                } else {
                    output.escape(bytes[position])
                    position += 1
                }
            }
            output.put(UInt8(ascii: "\""))
        }
        output.put(UInt8(ascii: "]"))
        arena.giveBack(most - output.count)
        return UnsafeBufferPointer(start: output.target, count: output.count)
    }

    /// Where text goes; there is room enough.
    private struct Output {
        let target: UnsafeMutablePointer<UInt8>
        var count = 0

        mutating func put(_ byte: UInt8) {
            target[count] = byte
            count += 1
        }

        mutating func escape(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                put(UInt8(ascii: "\\"))
                put(byte)
            case 0..<0x20:
                for byte in "\\u00".utf8 { put(byte) }
                for digit in [byte >> 4, byte & 15] {
                    put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            default: put(byte)
            }
        }
    }
}
