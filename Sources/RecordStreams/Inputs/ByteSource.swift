/// The plain bytes of an input, inflated where it is compressed.
package final class ByteSource {
    private let input: StoredInput
    private let inflater: GzipInflater?

    package init(
        _ file: InputFile, compression: InputCompression, maxRatio: Int = 1000
    ) throws(RecordStreamError) {
        input = try StoredInput(file)
        try input.fill(2)
        let isGzip = input.available.starts(with: GzipInflater.magic)
        switch compression {
        case .none: inflater = nil
        case .auto where !isGzip && !file.hasGzipName: inflater = nil
        case .auto, .gzip: inflater = try GzipInflater(input, maxRatio: maxRatio)
        }
    }

    /// The bytes of the file as stored that were used so far, for a progress bar.
    package var compressedBytesRead: Int { input.bytesConsumed }

    /// Fills a buffer as far as it goes.
    ///
    /// - Returns: the number of bytes, 0 at the end. Damage is thrown only when every byte before
    ///   it was given out.
    package func read(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        if let inflater { return try inflater.read(into: target, count: count) }
        return try input.copy(into: target, count: count)
    }
}
