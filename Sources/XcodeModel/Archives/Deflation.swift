internal import CZlib

/// Deflates what fits in memory, in one piece.
package enum Deflation {
    /// The raw deflate data of bytes, without a header, as `Z_MODELCACHE` holds it; `nil` if zlib
    /// has no memory.
    ///
    /// - Parameter windowBits: −15 is raw deflate data, 15 is a zlib stream.
    package static func deflate(_ bytes: [UInt8], windowBits: Int32 = -MAX_WBITS) -> [UInt8]? {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](
            repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        return input.withUnsafeMutableBufferPointer { source -> [UInt8]? in
            let written = output.withUnsafeMutableBufferPointer { target -> Int? in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(clamping: source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(clamping: target.count)
                guard zlibDeflate(&stream) == Z_STREAM_END else { return nil }
                return target.count - Int(stream.avail_out)
            }
            return written.map { Array(output[..<$0]) }
        }
    }
}

// The C library's call, which the type's own method of the same name would hide.
private func zlibDeflate(_ stream: UnsafeMutablePointer<z_stream>) -> Int32 {
    deflate(stream, Z_FINISH)
}
