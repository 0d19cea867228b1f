import GraphStore
import RecordStreams

/// JSON values built from the bytes of records, in a batch's arena.
enum JSONValue {
    /// Returns the text in quotes, with characters escaped as RFC 8259 section 7 requires.
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

    /// Splits a text at its separators into a JSON array, which is empty for an empty text.
    ///
    /// - Parameter preparation: The preparation of each piece.
    static func list(
        _ bytes: UnsafeBufferPointer<UInt8>, cutAt separator: [UInt8],
        _ preparation: TextPreparation? = nil, into arena: inout ByteArena
    ) -> UnsafeBufferPointer<UInt8> {
        var list = [UInt8(ascii: "[")]
        if !bytes.isEmpty {
            var pieces = TextPieces(of: bytes, cutAt: separator)
            while let piece = pieces.next() {
                var text = piece.bytes(in: &arena)
                if let preparation {
                    let field = Field(.string, start: text.baseAddress, count: text.count)
                    text = preparation.prepare(field, &arena).bytes
                }
                if list.count > 1 { list.append(UInt8(ascii: ",")) }
                list.append(contentsOf: quote(text, into: &arena))
            }
        }
        list.append(UInt8(ascii: "]"))
        return list.withUnsafeBufferPointer { arena.copy($0) }
    }

    /// An output buffer that has enough capacity.
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

extension TextPieces.Piece {
    /// Returns the bytes, which live as long as the text or the arena.
    func bytes(in arena: inout ByteArena) -> UnsafeBufferPointer<UInt8> {
        switch self {
        case .part(let bytes): bytes
        case .unescaped(let bytes): bytes.withUnsafeBufferPointer { arena.copy($0) }
        }
    }
}
