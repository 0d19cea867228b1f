import Digests
import RecordStreams

/// The running SHA-256 of an input's bytes, compared with the digests of an earlier run.
final class InputDigest {
    private var hash = ByteDigest()
    private(set) var byteCount = 0
    /// The digests still to compare, in the order of the input.
    private var expected: ArraySlice<InputPosition>
    private var differs = false

    /// Creates a digest of no bytes yet.
    ///
    /// - Parameter expected: the expected digests at positions of the input, in input order.
    init(expected: [InputPosition]) {
        self.expected = expected[...]
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let next = expected.first, byteCount + rest.count >= next.offset {
            let first = max(0, next.offset - byteCount)
            hash.add(UnsafeRawBufferPointer(rebasing: rest[..<first]))
            byteCount += first
            rest = UnsafeRawBufferPointer(rebasing: rest[first...])
            if value != next.digest { differs = true }
            expected.removeFirst()
        }
        hash.add(rest)
        byteCount += rest.count
    }

    /// Whether all digests so far match, and no digest up to a position is still to be compared.
    func agrees(upTo place: InputPosition?) -> Bool {
        !differs && place.map { expected.first != $0 } != false
    }

    /// The digest of the bytes so far.
    var value: [UInt8] { hash.value }

    /// Returns the digest of a file's bytes as an import reads them: decompressed, and in UTF-8.
    ///
    /// - Parameter limit: The number of bytes to include; `nil` for all bytes.
    static func value(
        of file: InputFile, _ options: ReadOptions, _ interruption: Interruption,
        upTo limit: Int? = nil
    ) throws -> [UInt8] {
        let source = try ByteSource(
            file, compression: options.compression, maxRatio: options.maxRatio,
            encoding: options.encoding)
        let digest = InputDigest(expected: [])
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
        defer { room.deallocate() }
        while true {
            let wanted = min(1 << 18, limit.map { $0 - digest.byteCount } ?? .max)
            let count = wanted > 0 ? try source.read(into: room, count: wanted) : 0
            guard count > 0 else { return digest.value }
            digest.add(UnsafeRawBufferPointer(start: room, count: count))
            try interruption.check()
        }
    }
}
