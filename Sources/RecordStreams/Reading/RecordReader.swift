internal import Diagnostics
internal import Files

/// Reads the records of one input, batch by batch, in memory bounded by the largest record.
///
/// The chunk that a batch's fields point into belongs to the batch. What a chunk holds beyond its
/// last whole record is carried over to the next one; a record that does not fit makes the chunk
/// grow, up to the size limit.
package final class RecordReader {
    /// The format that was chosen or told.
    package let format: RecordFormat
    private let source: ByteSource
    private let sourceName: FileName
    private let slotCount: Int
    private let options: ReadOptions
    private let decoder: any RecordDecoder
    private let recordsMax: Int
    /// Records, or blank lines, that were left to others to decode.
    private var recordsCut = 0

    /// Bytes read but not yet decoded, from `carryStart` on.
    private let carry = ByteChunk()
    private var carryStart = 0
    private var origin = ChunkOrigin()
    private var sourceError: RecordStreamError?
    private var isSourceAtEnd = false
    private var isDone = false
    private var hasObservedStart = false

    package init(
        input: InputFile, options: ReadOptions, selection: FieldSelection
    ) throws(RecordStreamError) {
        self.options = options
        sourceName = input.path
        slotCount = selection.paths.count
        // Of records with many fields fewer, as far as no less is asked for.
        recordsMax = min(options.batchRecordsMax, max(64, (1 << 17) / max(1, slotCount)))
        source = try ByteSource(
            input, compression: options.compression, maxRatio: options.maxRatio,
            encoding: options.encoding, threads: options.inflatingThreads,
            isCancelled: options.isCancelled, tellOfCommand: options.tellOfCommand)
        var filler = Filler(source: source, carry: carry, step: options.chunkBytes)
        format = try Self.format(of: input, options: options, filler: &filler)
        decoder = try Self.decoder(
            format, source: input.path.displayText, selection: selection, options: options)
        while true {
            carry.terminate(decoder.terminator.0, decoder.terminator.1)
            let bytes = UnsafeBufferPointer(start: UnsafePointer(carry.start), count: carry.count)
            if let length = try decoder.begin(
                bytes, isFinal: filler.isAtEnd && filler.error == nil)
            {
                carryStart = length
                break
            }
            if filler.isAtEnd, let error = filler.error { throw error }
            filler.fill()
        }
        sourceError = filler.error
        isSourceAtEnd = filler.isAtEnd
        origin.lineEnd = decoder.lineEnd
        origin = origin.advanced(over: carry.start, count: carryStart)
    }

    /// The bytes of the file as stored that were used so far.
    package var compressedBytesRead: Int { source.compressedBytesRead }

    /// The names of a table's columns, in their order; nil for other formats.
    package var columnNames: [String]? { decoder.columnNames }

    /// Sees every inflated byte once, in order, when the records in it were given out; for a
    /// digest of what was consumed.
    ///
    /// Of what `nextPiece` gives it sees only what comes before the first record.
    package var observer: ((UnsafeRawBufferPointer) -> Void)?

    private func observeStart() {
        guard !hasObservedStart else { return }
        hasObservedStart = true
        observer?(UnsafeRawBufferPointer(start: carry.start, count: carryStart))
    }

    /// The fields that nobody asked for, and in how many records they were met; in JSON those of
    /// the record itself, as far as they are not too many or too long to remember.
    package var extraFields: [(name: String, count: Int)] { decoder.extraFields }

    /// The records met so far, good and bad.
    package var recordsRead: Int { decoder.recordCount }

    /// Fills a batch with the next records.
    ///
    /// - Parameter limit: records that the batch may hold at most, good and bad.
    /// - Returns: false at the end of the input. Damage is thrown only after every record before
    ///   it was delivered.
    package func next(
        _ batch: RecordBatch, limit: Int = .max
    ) throws(RecordStreamError) -> Bool {
        try fill(batch, limit: limit, inPieces: false)
    }

    /// Fills a batch with the next piece of the input, of which a `PieceDecoder` may have to find
    /// the records, while the next pieces are read.
    ///
    /// The piece may have no records. Numbers of records are right only after
    /// `RecordBatch.renumber`, and `recordsRead` and `extraFields` tell of what was decoded here.
    ///
    /// - Returns: as `next`.
    package func nextPiece(_ batch: RecordBatch) throws(RecordStreamError) -> Bool {
        try fill(batch, limit: .max, inPieces: true)
    }

    /// A decoder for pieces; nil where all are decoded here.
    func pieceDecoder() -> (any RecordDecoder)? { decoder.twin() }

    private func fill(
        _ batch: RecordBatch, limit: Int, inPieces: Bool
    ) throws(RecordStreamError) -> Bool {
        batch.prepare(
            source: sourceName, slotCount: slotCount, recordsMax: min(recordsMax, limit),
            recordBytesMax: options.maxRecordBytes)
        batch.chunk.removeAll(keepingAtMost: 4 * options.chunkBytes)
        if !hasObservedStart { batch.blankLineCount = decoder.blankLinesBefore }
        observeStart()
        if let failure = decoder.failure { throw damage(behind: failure) }
        if isDone { return false }
        var wanted = chunkSize
        var enough = 0
        while true {
            load(batch.chunk, upTo: wanted, enough: enough)
            batch.chunk.terminate(decoder.terminator.0, decoder.terminator.1)
            batch.origin = origin
            let isAtEnd = isSourceAtEnd && carryStart == carry.count
            let isFinal = isAtEnd && sourceError == nil
            let consumed =
                inPieces
                ? cut(batch, isFinal: isFinal)
                : decoder.decode(into: batch, from: 0, isFinal: isFinal)
            origin = origin.advanced(over: batch.chunk.start, count: consumed)
            if inPieces, consumed > 0 {
                putBack(batch.chunk, from: consumed)
                batch.pieceByteCount = consumed
                batch.chunk.count = consumed
                batch.chunk.terminate(decoder.terminator.0, decoder.terminator.1)
                return true
            }
            if !inPieces {
                observer?(UnsafeRawBufferPointer(start: batch.chunk.start, count: consumed))
            }
            if batch.count > 0 || !batch.rejects.isEmpty {
                putBack(batch.chunk, from: consumed)
                return true
            }
            if let failure = decoder.failure { throw damage(behind: failure) }
            if isAtEnd {
                isDone = true
                if let sourceError { throw sourceError }
                return false
            }
            // What was cut is read anew, so what was copied of it is in nobody's hands.
            batch.arena.removeAll()
            batch.chunk.removeFirst(consumed)
            enough = Self.enough(after: batch.chunk.count)
            let limit = options.maxRecordBytes + options.chunkBytes
            wanted = max(chunkSize, min(batch.chunk.count * 2, limit), batch.chunk.count + 1)
        }
    }

    /// What ended the input: damage of compressed data, where there is any, since it explains the rest.
    private func damage(behind failure: RecordStreamError) -> RecordStreamError {
        let error =
            sourceError ?? source.damageInMember { options.isCancelled?() ?? false } ?? failure
        sourceError = error == failure ? sourceError : error
        return error
    }

    /// Makes the chunk's first records a piece, or decodes them where that cannot be left to others.
    private func cut(_ batch: RecordBatch, isFinal: Bool) -> Int {
        let piece = decoder.piece(of: batch.chunk, recordsMax: batch.recordsMax)
        guard piece.byteCount == 0 else {
            batch.isDecoded = false
            recordsCut += piece.recordCount
            return piece.byteCount
        }
        batch.numbersBefore = decoder.recordCount
        return decoder.decode(into: batch, from: 0, isFinal: isFinal)
    }

    /// A chunk for about as many records as a batch holds.
    private var chunkSize: Int {
        let records = decoder.recordCount + recordsCut
        guard records > 0 else { return options.chunkBytes }
        let average = origin.byteOffset / records + 1
        return min(options.chunkBytes, max(4096, average * (recordsMax + recordsMax / 16)))
    }

    /// The bytes with which it is worth reading a record that was cut anew.
    ///
    /// From a pipe that gives a large one little by little it would else be read for each of them.
    static func enough(after byteCount: Int) -> Int {
        byteCount < 1 << 16 ? 0 : byteCount + byteCount / 8
    }

    /// Fills the chunk from what was carried over, then from the source, which is not waited for
    /// where there is something new already, and not for long where that is not enough.
    private func load(_ chunk: ByteChunk, upTo wanted: Int, enough: Int) {
        chunk.reserve(wanted)
        let carried = min(carry.count - carryStart, wanted - chunk.count)
        if carried > 0 {
            (chunk.start + chunk.count).update(from: carry.start + carryStart, count: carried)
            chunk.count += carried
            carryStart += carried
        }
        guard carryStart == carry.count else { return }
        var hasNew = carried > 0
        while chunk.count < wanted, !isSourceAtEnd,
            !(hasNew && source.mustWait(isPatient: chunk.count < enough))
        {
            hasNew = true
            do throws(RecordStreamError) {
                let length = try source.read(
                    into: chunk.start + chunk.count, count: wanted - chunk.count)
                chunk.count += length
                isSourceAtEnd = length == 0
            } catch {
                sourceError = error
                isSourceAtEnd = true
            }
        }
    }

    /// Carries over what the decoder did not use of a chunk.
    private func putBack(_ chunk: ByteChunk, from consumed: Int) {
        let rest = chunk.count - consumed
        if carryStart < carry.count {
            // The rest of the chunk came from the carried bytes, just before those that are left.
            carryStart -= rest
            return
        }
        carry.removeAll(keepingAtMost: max(rest, 4 * options.chunkBytes))
        carryStart = 0
        carry.reserve(rest)
        carry.start.update(from: chunk.start + consumed, count: rest)
        carry.count = rest
    }
}
