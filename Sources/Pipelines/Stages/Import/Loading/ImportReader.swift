import Diagnostics
import Dispatch
import GraphModel
import RecordStreams

/// The reading side of an import: decompresses, scans, maps, and casts.
///
/// It uses one thread per lane, or the writer's thread if starting a thread costs more than the
/// reading.
final class ImportReader: Sendable {
    // Each plan is used only by the reading thread of its lane after `start`, because its
    // expressions and preparations have scratch memory. The writer reads only immutable parts of
    // the first plan.
    private nonisolated(unsafe) let plans: [ImportPlan]
    private let inputs: ImportInputs
    private let files: [(file: InputFile, bytesBefore: Int)]
    /// The memory budget for the row keys of each lane, in bytes.
    private let rowKeyBytes: Int
    private let interruption: Interruption

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - plans: The plans, one per lane.
    ///   - rowKeyBytes: The memory budget of each lane for counting equal records.
    ///   - interruption: Stops reading on the writer's thread; other readers stop when their queue
    ///     is canceled.
    init(
        plans: [ImportPlan], inputs: ImportInputs, rowKeyBytes: Int, interruption: Interruption
    ) {
        self.rowKeyBytes = rowKeyBytes
        self.interruption = interruption
        self.plans = plans
        self.inputs = inputs
        files = inputs.filesLeft
    }

    /// Starts reading; the lanes end when all inputs are read.
    func start(_ lanes: ImportLanes, in group: DispatchGroup) {
        if lanes.isReadFirst, let (queue, places) = lanes.lanes.first {
            let stop = ReadingStop { [interruption] in interruption.reason() != nil }
            return queue.fill { try read(places, plans[0], to: queue, unless: stop) }
        }
        let pieces =
            lanes.unit == .pieces ? ImportPieces(inputs, lanes) : nil
        for (lane, (queue, places)) in lanes.lanes.enumerated() {
            queue.fill(in: group) {
                let stop = ReadingStop { [weak queue] in queue?.isCancelled ?? true }
                if let pieces {
                    try self.read(
                        pieces, self.plans[lane], lane: lane, to: queue, unless: stop)
                } else {
                    try self.read(places, self.plans[lane], to: queue, unless: stop)
                }
            }
        }
    }

    /// Reads and decodes the pieces of one lane.
    private func read(
        _ pieces: ImportPieces, _ plan: ImportPlan, lane: Int, to queue: BatchQueue<MappedBatch>,
        unless stop: ReadingStop
    ) throws {
        var mapper = RecordMapper(plan, unless: stop)
        var decoder: (pieces: PieceDecoder, input: ImportPieces.Input)?
        while let batch = queue.takeIdle(),
            let (input, isMore) = try pieces.split(batch, plan, lane: lane)
        {
            if decoder?.input !== input {
                decoder = (PieceDecoder(of: input.reader), input)
            }
            decoder?.pieces.decode(batch.records)
            batch.extraFields += decoder?.pieces.takeExtraFields() ?? []
            guard pieces.count(batch, of: input, isMore: isMore, lane: lane) else { return }
            guard try map(batch, &mapper) else { return }
            queue.put(batch)
        }
    }

    /// Maps a batch.
    ///
    /// - Returns: `false` if the writer needs no more.
    private func map(_ batch: MappedBatch, _ mapper: inout RecordMapper) throws -> Bool {
        guard mapper.map(batch) else {
            try interruption.check()
            return false
        }
        batch.extraFields += batch.takeNestedExtraFields()
        return true
    }

    /// Reads the inputs of one lane.
    private func read(
        _ places: StrideTo<Int>, _ plan: ImportPlan, to queue: BatchQueue<MappedBatch>,
        unless stop: ReadingStop
    ) throws {
        var mapper = RecordMapper(plan, unless: stop)
        let rowKeys = plan.rowKey.map { RowKeys(inputs.options, $0, memory: rowKeyBytes) }
        var recordsLeft = inputs.recordsMax ?? .max
        for place in places {
            let (file, bytesBefore) = files[place]
            guard recordsLeft > 0,
                try read(
                    file, plan, to: queue, &mapper, rowKeys, bytesBefore: bytesBefore,
                    &recordsLeft)
            else { return }
        }
    }

    /// Reads one input, or the part that an earlier attempt left.
    ///
    /// - Returns: `false` if the lane must stop reading.
    private func read(
        _ file: InputFile, _ plan: ImportPlan, to queue: BatchQueue<MappedBatch>,
        _ mapper: inout RecordMapper, _ rowKeys: RowKeys?, bytesBefore: Int,
        _ recordsLeft: inout Int
    ) throws -> Bool {
        let start = inputs.start(in: file.path)
        let known = inputs.knownStream(file)
        let reader = try open(file, plan, for: queue, isReadOver: start != nil || known != nil)
        let end = inputs.sectionEnd(in: file)
        let digest = InputDigest(expected: [start, end].compactMap(\.self))
        reader.observer = digest.add
        var blankLines = BlankLineCount()
        if let known {
            guard try skip(known.records, of: file, reader, for: queue, &blankLines) else {
                return false
            }
            guard isAtEnd(reader), digest.value == known.digest else {
                throw CannotResume(changed: file)
            }
            return true
        }
        try rowKeys?.begin(reader, of: file, known: try inputs.knownRowKeys(file))
        if let start, try !skip(start.record, of: file, reader, for: queue, &blankLines, rowKeys) {
            return false
        }
        _ = reader.takeExtraFields()
        // Hold the last batch of an earlier attempt's section until the digest shows that all bytes
        // of the section are unchanged, because the section may end after the last record.
        var held: MappedBatch?
        func release() throws(CannotResume) {
            guard digest.agrees(upTo: held == nil ? start : end) else {
                throw CannotResume(changed: file)
            }
            if let batch = held { queue.put(batch) }
            held = nil
        }
        while true {
            guard let batch = queue.takeIdle() else { return false }
            let bytes = digest.byteCount
            var limit = recordsLeft
            if let end, reader.recordsRead < end.record {
                limit = min(limit, end.record - reader.recordsRead)
            }
            let isMore: Bool
            do {
                isMore = try reader.next(batch.records, limit: limit)
            } catch {
                // The records before the damage are valid.
                if held != nil { try release() }
                throw error
            }
            try release()
            batch.begin(reader, plan, bytesBefore: bytesBefore)
            batch.plainBytes = digest.byteCount - bytes
            batch.extraFields = reader.takeExtraFields()
            batch.blankLines = blankLines.take(batch.records, isLast: !isMore)
            let records = reader.recordsRead
            if isMore { recordsLeft -= batch.records.recordCount }
            try note(isEnd: !isMore, of: file, reader, digest, in: batch)
            try rowKeys?.fill(batch)
            guard try map(batch, &mapper) else { return false }
            if isMore, recordsLeft > 0, records == end?.record {
                held = batch
                continue
            }
            queue.put(batch)
            guard !isMore || recordsLeft <= 0 else { continue }
            return !isMore
        }
    }

    /// Stores in a batch the position up to which its input was read.
    private func note(
        isEnd: Bool, of file: InputFile, _ reader: RecordReader, _ digest: InputDigest,
        in batch: MappedBatch
    ) throws(RunFailure) {
        guard isEnd else {
            batch.position = InputPosition(
                path: file.path, record: reader.recordsRead, offset: digest.byteCount,
                digest: digest.value, isStream: file.isStream)
            return
        }
        batch.hasGrown = try file.hasGrown(bytesRead: reader.compressedBytesRead)
        batch.finishedInput = InputNote(
            path: file.path, byteCount: file.byteCount, digest: digest.value,
            records: reader.recordsRead)
    }

    /// Opens an input.
    ///
    /// - Parameter isReadOver: Whether an earlier attempt has read part of it.
    private func open(
        _ file: InputFile, _ plan: ImportPlan, for queue: BatchQueue<MappedBatch>, isReadOver: Bool
    ) throws -> RecordReader {
        do {
            return try inputs.reader(
                of: file, plan.selection, isCancelled: { queue.isCancelled })
        } catch let error as RecordStreamError
            where isReadOver && file.isStream
            && [.inputData, .spec].contains(error.fault.origin)
        {
            // The earlier attempt was able to read it.
            throw CannotResume(changed: file)
        }
    }

    /// Returns whether the input ends here without an error.
    private func isAtEnd(_ reader: RecordReader) -> Bool {
        do throws(RecordStreamError) {
            return try !reader.next(RecordBatch())
        } catch {
            return false
        }
    }

    /// Skips the records that an earlier attempt has saved.
    ///
    /// - Returns: `false` if the writer needs no more.
    private func skip(
        _ count: Int, of file: InputFile, _ reader: RecordReader,
        for queue: BatchQueue<MappedBatch>, _ blankLines: inout BlankLineCount,
        _ rowKeys: RowKeys? = nil
    ) throws -> Bool {
        let batch = RecordBatch()
        do {
            while reader.recordsRead < count {
                if queue.isCancelled { return false }
                guard try reader.next(batch, limit: count - reader.recordsRead) else { break }
                _ = blankLines.take(batch, isLast: false)
                // The occurrence numbers of later equal records continue from these records.
                try rowKeys?.count(batch)
            }
        } catch is RecordStreamError {
            // The earlier attempt was able to read it; the next full read reports the new error.
            throw CannotResume(changed: file)
        }
        guard reader.recordsRead == count else { throw CannotResume(changed: file) }
        return true
    }
}

/// Counts the blank lines of an input for the batch with the record after them, or for the end of
/// the input.
///
/// A run that resumes after a record reads the lines after it again, so they must not be among the
/// lines that were saved with the record. Where batches end makes no difference.
struct BlankLineCount {
    private var carried = 0

    /// Returns the number of blank lines to count for a batch.
    ///
    /// - Parameter isLast: Whether the input ends with the batch.
    mutating func take(_ records: RecordBatch, isLast: Bool) -> Int {
        let all = carried + records.blankLineCount
        let isBlank = records.recordCount == 0
        carried = isLast ? 0 : isBlank ? all : records.blankLinesAtEnd
        return all - carried
    }
}

/// Stops the mapping of a batch that is no longer needed.
private final class ReadingStop: EvaluationStop {
    private let mustStop: () -> Bool

    init(_ mustStop: @escaping () -> Bool) {
        self.mustStop = mustStop
    }

    var isRaised: Bool { mustStop() }
}

extension InputFile {
    /// Returns whether a file that was read completely is larger than when the run began.
    ///
    /// - Throws: `RunFailure` (65) if the file was truncated while it was read, so that data is
    ///   missing.
    func hasGrown(bytesRead: Int) throws(RunFailure) -> Bool {
        guard !isStream, let size = FileDescriptor.fileSize(path) else { return false }
        guard size >= byteCount || bytesRead >= byteCount else {
            throw RunFailure(
                .dataError, code: "input.cut",
                "\(name) was cut while the run read it: of "
                    + "\(ReportNumbers.several(byteCount, "byte")) \(size) are left",
                fix: "write it under another name, and rename it when it is complete")
        }
        return size > byteCount
    }
}

extension MappedBatch {
    /// Sets the properties of the batch that are known before its position in the input.
    func begin(_ reader: RecordReader, _ plan: ImportPlan, bytesBefore: Int) {
        format = reader.format
        columnNames = reader.columnNames
        endsAtReturn = reader.endsAtReturn
        extraColumns =
            isTabular && plan.extra != .ignore ? reader.extraFields.map(\.name) : nil
        bytesRead = bytesBefore + reader.compressedBytesRead
        position = nil
        finishedInput = nil
        hasGrown = false
    }
}
