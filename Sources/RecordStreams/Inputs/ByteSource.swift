/// The plain bytes of an input, inflated where it is compressed, in UTF-8 where it is text of
/// another encoding.
package final class ByteSource {
    private let input: StoredInput
    private let inflater: GzipInflater?
    /// Inflates members ahead that can be told apart, before the inflater takes over.
    private var members: GzipMembers?
    private var transcoder: TextTranscoder?
    private let piece: UnsafeMutablePointer<UInt8>?

    package init(
        _ file: InputFile, compression: InputCompression, maxRatio: Int = 1000,
        encoding: TextEncoding = .utf8, threads: Int = GzipMembers.threadsOfMachine,
        isCancelled: (@Sendable () -> Bool)? = nil,
        tellOfCommand: (@Sendable (String) -> Void)? = nil
    ) throws(RecordStreamError) {
        let piece = encoding == .utf8 ? nil : TextTranscoder.makePiece()
        self.piece = piece
        transcoder = piece.map { TextTranscoder(encoding, piece: $0) }
        input = try StoredInput(file, isCancelled: isCancelled, tellOfCommand: tellOfCommand)
        try input.fill(2)
        let isGzip = input.available.starts(with: GzipInflater.magic)
        if !file.isStream, file.generatedRows == nil {
            try input.fill(ForeignFormat.headerByteCount)
            guard !ForeignFormat.isTar(input.available, name: input.path, isGzip: isGzip) else {
                throw RecordStreamError(
                    .foreignFormat(.tar, path: input.path, inner: nil), in: file.path)
            }
        }
        // A pipe is waited for only where the first bytes can be those of such a format.
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

    /// Whether the bytes are inflated.
    var isCompressed: Bool { inflater != nil }

    /// The bytes of the file as stored that were used so far, for a progress bar.
    package var compressedBytesRead: Int { input.bytesConsumed }

    /// Whether `read` would wait for somebody to write into a pipe.
    ///
    /// - Parameter isPatient: whether to wait some milliseconds for it.
    func mustWait(isPatient: Bool) -> Bool { input.mustWait(isPatient: isPatient) }

    /// Fills a buffer as far as it goes, or as far as a pipe has something at hand.
    ///
    /// - Returns: the number of bytes, 0 at the end. Damage is thrown only when every byte before
    ///   it was given out.
    package func read(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        guard transcoder == nil else {
            return try transcoder?.read(into: target, count: count, from: readStored) ?? 0
        }
        return try readStored(into: target, count: count)
    }

    /// The damage of the compressed data that is being read, where nothing of it is wanted any more:
    /// whatever else is wrong with it follows from that.
    ///
    /// - Parameter isCancelled: whether to give up, asked now and then.
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
