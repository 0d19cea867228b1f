internal import Diagnostics
internal import Files

/// Reads the records of one input, batch by batch, in memory bounded by the largest record.
///
/// The fields of a batch point into a chunk that the batch owns. The bytes after the last complete
/// record of a chunk are carried over to the next chunk. A record that does not fit makes the chunk
/// grow, up to the size limit.
package final class RecordReader {
    /// The format, as specified or detected.
    package let format: RecordFormat
    private let source: ByteSource
    private let sourceName: FileName
    private let slotCount: Int
    private let options: ReadOptions
    private let decoder: any RecordDecoder
    private let recordsMax: Int
    /// The number of records, or lines that may be blank, in the pieces passed to other decoders.
    private var recordsSplit = 0

    /// Bytes read but not yet decoded, from `carryStart` on.
    private let carry = ByteChunk()
    private var carryStart = 0
    private var origin = ChunkOrigin()
    private var sourceError: RecordStreamError?
    private var isSourceAtEnd = false
    private var isDone = false
    private var hasObservedStart = false

    /// Creates a reader at the first record; throws if the start of the input cannot be read.
    package init(
        input: InputFile, options: ReadOptions, selection: FieldSelection
    ) throws(RecordStreamError) {
        self.options = options
        sourceName = input.path
        slotCount = selection.paths.count
        // Fewer records if they have many fields, but at least 64, if the limit of the options
        // allows it.
        recordsMax = min(options.batchRecordsMax, max(64, (1 << 17) / max(1, slotCount)))
        source = try ByteSource(
            input, compression: options.compression, maxRatio: options.maxRatio,
            encoding: options.encoding, threads: options.inflatingThreads,
            isCancelled: options.isCancelled, showCommandLine: options.showCommandLine)
        var filler = Filler(source: source, carry: carry, step: options.chunkBytes)
        do throws(RecordStreamError) {
            format = try Self.format(of: input, options: options, filler: &filler)
            decoder = try Self.decoder(
                format, source: input.path.displayText, selection: selection, options: options)
            carryStart = try Self.begin(decoder, carry, &filler)
        } catch {
            throw Self.cause(of: error, filler) { options.isCancelled?() ?? false }
        }
        sourceError = filler.error
        isSourceAtEnd = filler.isAtEnd
        origin.lineEnd = decoder.lineEnd
        origin = origin.advanced(over: carry.start, count: carryStart)
    }

    /// The number of stored bytes of the file that were used so far.
    package var compressedBytesRead: Int { source.compressedBytesRead }

    /// The names of a table's columns, in order; `nil` for other formats.
    package var columnNames: [String]? { decoder.columnNames }

    /// Returns a splitter of the rows of a table; `nil` for other formats.
    package func rowSplitter() -> RowSplitter? { (decoder as? CSVDecoder)?.rowSplitter() }

    /// Whether a lone CR ends a record of a table.
    package var endsAtReturn: Bool { decoder.lineEnd == 13 }

    /// Receives every decompressed byte once, in order, after the records in it were returned; for
    /// a digest of the consumed bytes.
    ///
    /// With `nextPiece`, it receives only the bytes before the first record.
    package var observer: ((UnsafeRawBufferPointer) -> Void)?

    private func observeStart() {
        guard !hasObservedStart else { return }
        hasObservedStart = true
        observer?(UnsafeRawBufferPointer(start: carry.start, count: carryStart))
    }

    /// The unselected fields, and the number of records that contained them since the last call of
    /// `takeExtraFields()`; in JSON, only fields whose number and length are below the limits.
    package var extraFields: [(name: String, count: Int)] { decoder.extraFields }

    /// Returns `extraFields`, and resets the counts.
    package func takeExtraFields() -> [(name: String, count: Int)] { decoder.takeExtraFields() }

    /// The number of records so far, good and bad.
    package var recordsRead: Int { decoder.recordCount }

    /// Fills a batch with the next records.
    ///
    /// - Parameter limit: the maximum number of records in the batch, good and bad.
    /// - Returns: `false` at the end of the input. Damage is thrown only after every record before
    ///   it was delivered.
    package func next(
        _ batch: RecordBatch, limit: Int = .max
    ) throws(RecordStreamError) -> Bool {
        try fill(batch, limit: limit, inPieces: false)
    }

    /// Fills a batch with the next piece of the input, whose records a `PieceDecoder` may have to
    /// find while the next pieces are read.
    ///
    /// The piece may contain no records. Record numbers are correct only after
    /// `RecordBatch.renumber`; `recordsRead` and `extraFields` include only the records decoded
    /// here.
    ///
    /// - Returns: `false` at the end of the input, as `next` does.
    package func nextPiece(_ batch: RecordBatch) throws(RecordStreamError) -> Bool {
        try fill(batch, limit: .max, inPieces: true)
    }

    /// Returns a decoder for pieces, or `nil` if the reader decodes all of them.
    func pieceDecoder() -> (any RecordDecoder)? { decoder.twin() }

    private func fill(
        _ batch: RecordBatch, limit: Int, inPieces: Bool
    ) throws(RecordStreamError) -> Bool {
        batch.prepare(
            source: sourceName, slotCount: slotCount, recordsMax: min(recordsMax, limit),
            recordBytesMax: options.maxRecordBytes)
        batch.chunk.removeAll(keepingAtMost: 4 * options.chunkBytes)
        if !hasObservedStart { batch.addBlankLines(decoder.blankLinesBefore) }
        observeStart()
        if let failure = decoder.failure { throw damage(causing: failure) }
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
                ? split(batch, isFinal: isFinal)
                : decoder.decode(into: batch, isFinal: isFinal)
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
            if let failure = decoder.failure { throw damage(causing: failure) }
            if isAtEnd {
                isDone = true
                if let sourceError { throw sourceError }
                return false
            }
            // An incomplete record is read again, so the copied parts of it are unused.
            batch.arena.removeAll()
            batch.chunk.removeFirst(consumed)
            enough = Self.enough(after: batch.chunk.count)
            let limit = options.maxRecordBytes + options.chunkBytes
            wanted = max(chunkSize, min(batch.chunk.count * 2, limit), batch.chunk.count + 1)
        }
    }

    /// Returns the error to report: the damage of the compressed data, or else the given failure.
    ///
    /// Damage explains the other faults.
    private func damage(causing failure: RecordStreamError) -> RecordStreamError {
        let error =
            sourceError ?? source.damageInMember { options.isCancelled?() ?? false } ?? failure
        sourceError = error == failure ? sourceError : error
        return error
    }

    /// Turns the chunk's first records into a piece, or decodes them if only this reader can.
    private func split(_ batch: RecordBatch, isFinal: Bool) -> Int {
        let piece = decoder.piece(of: batch.chunk, recordsMax: batch.recordsMax)
        guard piece.byteCount == 0 else {
            batch.isDecoded = false
            recordsSplit += piece.recordCount
            return piece.byteCount
        }
        batch.numbersBefore = decoder.recordCount
        return decoder.decode(into: batch, isFinal: isFinal)
    }

    /// The size in bytes of the next chunk, so that it holds about as many records as a batch.
    private var chunkSize: Int {
        let records = decoder.recordCount + recordsSplit
        guard records > 0 else { return options.chunkBytes }
        let average = origin.byteOffset / records + 1
        return min(options.chunkBytes, max(4096, average * (recordsMax + recordsMax / 16)))
    }

    /// Returns the number of bytes at which an incomplete record is decoded again.
    ///
    /// Otherwise, a large record that arrives slowly from a pipe would be decoded for each small
    /// part.
    static func enough(after byteCount: Int) -> Int {
        byteCount < 1 << 16 ? 0 : byteCount + byteCount / 8
    }

    /// Fills the chunk from the carried bytes, then from the source.
    ///
    /// It does not wait for the source if new bytes are available, and waits only briefly if they
    /// are not enough.
    private func load(_ chunk: ByteChunk, upTo wanted: Int, enough: Int) {
        chunk.reserve(wanted)
        let carried = min(carry.count - carryStart, wanted - chunk.count)
        if carried > 0 {
            (chunk.start + chunk.count).update(from: carry.start + carryStart, count: carried)
            chunk.count += carried
            carryStart += carried
        }
        guard carryStart == carry.count, !isSourceAtEnd else { return }
        do throws(RecordStreamError) {
            isSourceAtEnd = try source.fill(
                chunk, upTo: wanted, enough: enough, hasNew: carried > 0)
        } catch {
            sourceError = error
            isSourceAtEnd = true
        }
    }

    /// Carries over the bytes of a chunk that the decoder did not use.
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
