internal import CZlib
internal import Diagnostics

/// Inflates gzip (RFC 1952): every member, with its header, checksum, and length verified.
///
/// ```
/// 1F 8B 08 flags mtime×4 extra os [extra field] [name 00] [comment 00] [header crc]
/// deflated data, crc32×4, length×4 — and the next member, or zeros, or the end
/// ```
/// zlib's own gzip support accepts reserved flags and leaves the bytes after a member to its
/// caller. Headers and trailers are therefore read here, and zlib sees only raw deflate data.
final class GzipInflater {
    static let magic: [UInt8] = [0x1F, 0x8B]

    private enum State {
        case header, data, afterMember, done
    }

    private static let headerMax = 1 << 20
    private static let ratioFreeBytes = 64 * 1024 * 1024

    private let input: StoredInput
    private let maxRatio: Int
    private let stream: UnsafeMutablePointer<z_stream>
    private var state = State.header
    private var checksum: UInt = 0
    private var memberStart = 0
    private var memberLength = 0
    private var pending: RecordStreamError?

    init(_ input: StoredInput, maxRatio: Int) throws(RecordStreamError) {
        self.input = input
        self.maxRatio = maxRatio
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = inflateInit2_(
            stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            throw error(.gzipData(reason: "zlib cannot start (code \(code))"))
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates into a buffer; returns 0 at the end.
    func read(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        if let pending { throw pending }
        var filled = 0
        do throws(RecordStreamError) {
            while filled < count, state != .done {
                // Inflated bytes now are more useful than a full buffer later.
                if filled > 0, input.mustWait() { break }
                switch state {
                case .header:
                    try readHeader()
                    state = .data
                case .data: filled += try inflateSome(into: target + filled, count: count - filled)
                case .afterMember: try readAfterMember()
                case .done: break
                }
            }
        } catch {
            guard filled > 0 else { throw error }
            pending = error
        }
        return filled
    }

    /// Reads the rest of the current member.
    ///
    /// - Parameter isCancelled: whether to stop, checked repeatedly.
    /// - Returns: the damage of the member; `nil` if it is valid.
    func damageInMember(isCancelled: () -> Bool) -> RecordStreamError? {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: StoredInput.capacity)
        defer { room.deallocate() }
        do throws(RecordStreamError) {
            while state == .data, pending == nil, !isCancelled() {
                _ = try inflateSome(into: room, count: StoredInput.capacity)
            }
        } catch {
            return error
        }
        return pending
    }

    /// Resets the inflater to expect a header.
    func restart() {
        state = .header
        pending = nil
    }

    /// Resumes after a member that `GzipMembers` has inflated.
    func startAfterMember() {
        state = .afterMember
    }

    private func error(_ kind: RecordStreamError.Kind) -> RecordStreamError {
        RecordStreamError(
            kind, at: RecordLocation(source: input.path))
    }

    // MARK: Header

    private func readHeader() throws(RecordStreamError) {
        var header = HeaderReader(input: input)
        guard let first = try input.nextByte() else { throw error(.gzipTruncated) }
        guard first == 0x1F else { throw error(.gzipHeader(reason: "the magic bytes are missing")) }
        header.note(first)
        guard try header.byte() == 0x8B else {
            throw error(.gzipHeader(reason: "the magic bytes are missing"))
        }
        guard try header.byte() == 8 else {
            throw error(.gzipHeader(reason: "the method is not deflate"))
        }
        let flags = try header.byte()
        guard flags & 0xE0 == 0 else {
            throw error(.gzipHeader(reason: "reserved flags are set"))
        }
        for _ in 0..<6 { _ = try header.byte() }
        if flags & 0x04 != 0 {
            let length = Int(try header.byte()) | Int(try header.byte()) << 8
            for _ in 0..<length { _ = try header.byte() }
        }
        if flags & 0x08 != 0 { try header.text() }
        if flags & 0x10 != 0 { try header.text() }
        if flags & 0x02 != 0 {
            let expected = UInt16(truncatingIfNeeded: header.checksum)
            let low = UInt16(try header.byte())
            guard low | UInt16(try header.byte()) << 8 == expected else {
                throw error(.gzipHeader(reason: "its checksum is wrong"))
            }
        }
        inflateReset(stream)
        checksum = crc32(0, nil, 0)
        memberLength = 0
        memberStart = input.bytesConsumed
    }

    /// Reads header bytes and computes their checksum.
    private struct HeaderReader {
        let input: StoredInput
        var checksum: UInt = 0
        var count = 0

        mutating func note(_ byte: UInt8) {
            var byte = byte
            checksum = crc32(checksum, &byte, 1)
            count += 1
        }

        mutating func byte() throws(RecordStreamError) -> UInt8 {
            guard let byte = try input.nextByte() else {
                throw RecordStreamError(.gzipTruncated, in: input.path)
            }
            note(byte)
            return byte
        }

        mutating func text() throws(RecordStreamError) {
            while try byte() != 0 {
                guard count <= GzipInflater.headerMax else {
                    throw RecordStreamError(.gzipHeader(reason: "it is too long"), in: input.path)
                }
            }
        }
    }

    // MARK: Data

    private func inflateSome(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        try input.fill(1)
        // At the end of the input, zlib may still hold bytes that did not fit into an earlier
        // buffer.
        let available = input.available
        stream.pointee.next_in = available.baseAddress
        stream.pointee.avail_in = UInt32(available.count)
        stream.pointee.next_out = target
        stream.pointee.avail_out = UInt32(clamping: count)
        let code = inflate(stream, Z_NO_FLUSH)
        let produced = Int(UInt32(clamping: count)) - Int(stream.pointee.avail_out)
        input.consume(available.count - Int(stream.pointee.avail_in))
        checksum = crc32(checksum, target, UInt32(produced))
        memberLength += produced
        switch code {
        case Z_OK, Z_BUF_ERROR:
            if available.isEmpty, produced == 0 { throw error(.gzipTruncated) }
            try checkRatio()
        case Z_STREAM_END:
            pending = trailerError()
            state = .afterMember
            if produced == 0, let pending { throw pending }
            if pending != nil { return produced }
        default:
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib code \(code)"
            let failure = error(.gzipData(reason: reason))
            guard produced > 0 else { throw failure }
            pending = failure
            state = .done
        }
        return produced
    }

    private func checkRatio() throws(RecordStreamError) {
        guard memberLength > Self.ratioFreeBytes else { return }
        let stored = max(1, input.bytesConsumed - memberStart)
        if memberLength / stored > maxRatio { throw error(.gzipBomb(ratio: maxRatio)) }
    }

    /// Checks the trailer after the data of a member.
    private func trailerError() -> RecordStreamError? {
        do throws(RecordStreamError) {
            try input.fill(8)
            guard input.available.count >= 8 else { return error(.gzipTruncated) }
            let trailer = input.available
            let word = { (offset: Int) in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(trailer[offset + $1]) << UInt32(8 * $1) }
            }
            let (storedChecksum, storedLength) = (word(0), word(4))
            input.consume(8)
            if storedChecksum != UInt32(truncatingIfNeeded: checksum) {
                return error(.gzipChecksum)
            }
            return storedLength == UInt32(truncatingIfNeeded: memberLength)
                ? nil : error(.gzipLength)
        } catch {
            return error
        }
    }

    /// Finds another member, zeros up to the end, or the end.
    private func readAfterMember() throws(RecordStreamError) {
        if let pending { throw pending }
        try input.fill(2)
        guard let first = input.available.first else {
            state = .done
            return
        }
        if input.available.starts(with: Self.magic) {
            state = .header
            return
        }
        guard first == 0 else { throw error(.gzipTrailing) }
        while let byte = try input.nextByte() {
            guard byte == 0 else { throw error(.gzipTrailing) }
        }
        state = .done
    }
}
