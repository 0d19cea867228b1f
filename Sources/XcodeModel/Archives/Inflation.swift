internal import CZlib

/// Decompression of data that fits in memory.
package enum Inflation {
    /// The maximum decompressed size; a model has a few hundred KiB.
    private static let bytesMax = 64 << 20

    /// Decompresses raw deflate data or a zlib stream; returns `nil` if the data is invalid or too
    /// large.
    package static func inflate(_ bytes: [UInt8]) -> [UInt8]? {
        inflate(bytes, windowBits: -MAX_WBITS) ?? inflate(bytes, windowBits: MAX_WBITS)
    }

    private static func inflate(_ bytes: [UInt8], windowBits: Int32) -> [UInt8]? {
        var stream = z_stream()
        guard
            inflateInit2_(
                &stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var inflated: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 16)
        var input = bytes
        return input.withUnsafeMutableBufferPointer { source -> [UInt8]? in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(clamping: source.count)
            while inflated.count <= bytesMax {
                let code = room.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return zlibInflate(&stream)
                }
                inflated += room[..<(room.count - Int(stream.avail_out))]
                if code == Z_STREAM_END { return inflated }
                // If zlib makes no progress, the data is incomplete.
                guard code == Z_OK, stream.avail_in > 0 || stream.avail_out == 0 else { return nil }
            }
            return nil
        }
    }
}

// The C function, which the methods of the same name would hide.
private func zlibInflate(_ stream: UnsafeMutablePointer<z_stream>) -> Int32 {
    inflate(stream, Z_NO_FLUSH)
}
