/// The plain bytes of an input, decompressed if needed, and converted to UTF-8 if the text has
/// another encoding.
package final class ByteSource {
    private let input: StoredInput
    private let inflater: GzipInflater?
    /// The parallel reader of members whose sizes are known; after them, the inflater takes over.
    private var members: GzipMembers?
    private var transcoder: TextTranscoder?
    private let piece: UnsafeMutablePointer<UInt8>?

    /// Creates a source and opens the input; throws if it cannot be read or has a foreign format.
    package init(
        _ file: InputFile, compression: InputCompression, maxRatio: Int = 1000,
        encoding: TextEncoding = .utf8, threads: Int = GzipMembers.threadsOfMachine,
        isCancelled: (@Sendable () -> Bool)? = nil,
        showCommandLine: (@Sendable (String) -> Void)? = nil
    ) throws(RecordStreamError) {
        let piece = encoding == .utf8 ? nil : TextTranscoder.makePiece()
        self.piece = piece
        transcoder = piece.map { TextTranscoder(encoding, piece: $0) }
        input = try StoredInput(file, isCancelled: isCancelled, showCommandLine: showCommandLine)
        try input.fill(2)
        let isGzip = input.available.starts(with: GzipInflater.magic)
        // Only a file: a pipe may have no more than one record for hours.
        if input.isRegular, file.generatedRows == nil {
            try input.fill(ForeignFormat.headerByteCount)
            guard !ForeignFormat.isTar(input.available, name: input.path, isGzip: isGzip) else {
                throw RecordStreamError(
                    .foreignFormat(.tar, path: input.path, inner: nil), in: file.path)
            }
        }
        // Waits for a pipe only if it may start like a foreign format.
        if ForeignFormat.mayBegin(with: input.available) {
            try input.fill(ForeignFormat.byteCountMax)
            if let format = ForeignFormat(input.available, name: input.path) {
                try input.fill(ForeignFormat.headerByteCount)
                let inner = format.innerFormat(of: input.available)
                throw RecordStreamError(
                    .foreignFormat(format, path: input.path, inner: inner), in: file.path)
            }
        }
        switch compression {
        case .none: inflater = nil
        case .auto where !isGzip && !file.hasGzipName: inflater = nil
        case .auto, .gzip: inflater = try GzipInflater(input, maxRatio: maxRatio)
        }
        members =
            inflater == nil ? nil : try GzipMembers(input, maxRatio: maxRatio, threads: threads)
    }

    deinit {
        piece?.deallocate()
    }

    /// Whether the bytes are decompressed.
    var isCompressed: Bool { inflater != nil }

    /// The number of stored bytes of the file that were used so far, for a progress bar.
    package var compressedBytesRead: Int { input.bytesConsumed }

    /// Returns whether `read` would wait for a process to write into a pipe.
    ///
    /// - Parameter isPatient: whether to wait up to 50 ms for it.
    func mustWait(isPatient: Bool) -> Bool { input.mustWait(isPatient: isPatient) }

    /// Fills a buffer with the available bytes; it returns early if a pipe has no more bytes yet.
    ///
    /// - Returns: the number of bytes, 0 at the end. Damage is thrown only after every byte before
    ///   it was returned.
    package func read(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        guard transcoder == nil else {
            return try transcoder?.read(into: target, count: count, from: readStored) ?? 0
        }
        return try readStored(into: target, count: count)
    }

    /// Reads into a chunk, without waiting for more bytes than a process has written, and only
    /// briefly if they are not enough.
    ///
    /// - Parameters:
    ///   - wanted: The number of bytes up to which the chunk is filled; it has room for them.
    ///   - hasNew: Whether the chunk has new bytes already.
    func fill(
        _ chunk: ByteChunk, upTo wanted: Int, enough: Int, hasNew: Bool = false
    ) throws(RecordStreamError) -> Bool {
        var hasNew = hasNew
        while chunk.count < wanted, !(hasNew && mustWait(isPatient: chunk.count < enough)) {
            hasNew = true
            let length = try read(into: chunk.start + chunk.count, count: wanted - chunk.count)
            if length == 0 { return true }
            chunk.count += length
        }
        return false
    }

    /// Returns the damage of the compressed data that is being read; `nil` if it is valid.
    ///
    /// Any other fault in this data follows from it. The bytes must no longer be needed.
    ///
    /// - Parameter isCancelled: whether to stop, checked repeatedly.
    func damageInMember(isCancelled: () -> Bool) -> RecordStreamError? {
        guard let inflater else { return nil }
        guard let members else { return inflater.damageInMember(isCancelled: isCancelled) }
        return members.damageInGroup()
    }

    private func readStored(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        if let members {
            let length = try members.read(into: target, count: count)
            if length > 0 { return length }
            self.members = nil
            inflater?.startAfterMember()
        }
        if let inflater { return try inflater.read(into: target, count: count) }
        return try input.copy(into: target, count: count)
    }
}
