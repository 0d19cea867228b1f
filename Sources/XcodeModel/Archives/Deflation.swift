internal import CZlib

/// Compression of data that fits in memory, in one call.
package enum Deflation {
    /// Returns raw deflate data without a header, as in `Z_MODELCACHE`; `nil` if zlib runs out of
    /// memory.
    ///
    /// - Parameter windowBits: −15 for raw deflate data, 15 for a zlib stream.
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

// The C function, which the method of the same name would hide.
private func zlibDeflate(_ stream: UnsafeMutablePointer<z_stream>) -> Int32 {
    deflate(stream, Z_FINISH)
}
