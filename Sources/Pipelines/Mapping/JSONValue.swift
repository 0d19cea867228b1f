import GraphStore
import RecordStreams

/// JSON values made of the bytes of records, in a batch's arena.
enum JSONValue {
    /// The text in quotes, with what must be escaped escaped (RFC 8259 section 7).
    static func quote(
        _ bytes: UnsafeBufferPointer<UInt8>, into arena: inout ByteArena
    ) -> UnsafeBufferPointer<UInt8> {
        let most = bytes.count * JSONText.escapeBytesMax + 2
        var output = Output(target: arena.allocate(most))
        output.put(UInt8(ascii: "\""))
        for byte in bytes { output.escape(byte) }
        output.put(UInt8(ascii: "\""))
        arena.giveBack(most - output.count)
        return UnsafeBufferPointer(start: output.target, count: output.count)
    }

    /// The pieces of a text between its separators as an array; an empty text has none.
    ///
    /// - Parameter preparation: what is done to each piece.
    static func list(
        _ bytes: UnsafeBufferPointer<UInt8>, cutAt separator: [UInt8],
        _ preparation: TextPreparation? = nil, into arena: inout ByteArena
    ) -> UnsafeBufferPointer<UInt8> {
        guard let preparation else { return plainList(bytes, cutAt: separator, into: &arena) }
        var pieces: [UInt8] = []
        var start = 0
        var position = 0
        func add(_ piece: Range<Int>, _ arena: inout ByteArena) {
            let piece = preparation.prepare(
                Field(
                    .string, start: bytes.baseAddress.map { $0 + piece.lowerBound },
                    count: piece.count), &arena)
            pieces.append(UInt8(ascii: pieces.isEmpty ? "[" : ","))
            pieces.append(contentsOf: quote(piece.bytes, into: &arena))
        }
        while position < bytes.count {
            if bytes[position...].starts(with: separator) {
                add(start..<position, &arena)
                position += separator.count
                start = position
            } else {
                position += 1
            }
        }
        if bytes.isEmpty {
            pieces.append(UInt8(ascii: "["))
        } else {
            add(start..<bytes.count, &arena)
        }
        pieces.append(UInt8(ascii: "]"))
        return pieces.withUnsafeBufferPointer { arena.copy($0) }
    }

    private static func plainList(
        _ bytes: UnsafeBufferPointer<UInt8>, cutAt separator: [UInt8], into arena: inout ByteArena
    ) -> UnsafeBufferPointer<UInt8> {
        // A separator has at least one byte, and `","` needs fewer than its escape might.
        let most = bytes.count * JSONText.escapeBytesMax + 4
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
            guard JSONText.needsEscape(byte) else { return put(byte) }
            count += JSONText.writeEscape(of: byte, to: target + count)
        }
    }
}
