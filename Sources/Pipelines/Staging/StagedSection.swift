import GraphStore

/// Buffers many records, then writes them in the order of their row IDs; new objects come last, in
/// input order.
///
/// The records are in an unnamed file. No record of a section is saved before the complete section
/// has been read. From then on, each save stores a `SectionNote`. After an interruption, the next
/// run learns from the note which records it must read again, and which of them are already
/// written:
///
/// ```
/// saved │ section, of rows 7 3 9 new 3 5 │ not read yet
///         written as       3 3 5 7 9 new
///                              ^ a save: all up to row 4, and one of the next row
/// ```
final class StagedSection {
    /// The position where the next run starts to read again; `nil` at the beginning of an input.
    let start: InputPosition?
    /// The progress of an earlier attempt at this section, which must end at the same position.
    let earlier: SectionNote?
    /// The largest row ID when the section began; rows with larger IDs count as new.
    private let lastRow: Int64
    private let recordsMax: Int
    private let rows: StagedRows
    /// The minimum memory for each run during the merge, in bytes.
    private static let runBlockBytesMin = 1 << 14
    private var spill: SortedSpill
    /// The number of records, including rejects.
    private(set) var records = 0
    /// The inputs that ended within the section.
    private(set) var finished: [InputNote] = []
    /// The number of records of new objects.
    private var newRecords = 0
    private var newWritten = 0
    /// The progress of writing: all records of rows up to `writtenUpTo` are written, and the first
    /// `writtenOfNext` records of the next row.
    private var writtenUpTo: Int64 = 0
    private var writtenOfNext = 0
    /// The number of records of that next row that were read so far, while records that an earlier
    /// attempt has written are skipped.
    private var readOfNext = 0
    /// A hash of the row IDs found for the records, in order.
    private var rowsHash: Int64 = 0

    /// Creates an empty section.
    ///
    /// - Parameters:
    ///   - start: The position where the next run starts to read again.
    ///   - lastRow: The last row ID; rows with larger IDs count as new.
    ///   - recordsMax: The number of records that completes the section.
    ///   - file: The file for the buffered records.
    ///   - budget: The memory limit and the interval of saves.
    init(
        _ plan: ImportPlan, from start: InputPosition?, lastRow: Int64, recordsMax: Int,
        in file: SpillFile, _ budget: BudgetSpec
    ) {
        self.start = start
        earlier = nil
        self.lastRow = lastRow
        self.recordsMax = recordsMax
        rows = StagedRows(plan, saveEvery: budget.saveEvery)
        let memoryBytes = MemoryLimits(budget.memory).staging
        // Leave disk space for others, above all for the store.
        spill = SortedSpill(
            in: file, memoryBytes: memoryBytes, fileBytesMax: (file.size + file.freeBytes) / 4,
            runsMax: max(2, memoryBytes / 2 / Self.runBlockBytesMin))
    }

    /// Repeats the section of an earlier attempt.
    init(
        _ plan: ImportPlan, again earlier: SectionNote, from start: InputPosition?,
        in file: SpillFile, _ budget: BudgetSpec
    ) {
        self.start = start
        self.earlier = earlier
        lastRow = earlier.lastRow
        recordsMax = earlier.records
        rows = StagedRows(plan, saveEvery: budget.saveEvery)
        spill = SortedSpill(in: file, memoryBytes: MemoryLimits(budget.memory).staging)
        (newWritten, writtenUpTo) = (earlier.newWritten, earlier.writtenUpTo)
        writtenOfNext = earlier.writtenOfNext
    }

    // MARK: Staging

    /// Whether all records of the section have been read.
    var isComplete: Bool {
        guard let earlier else { return records >= recordsMax || spill.isFull }
        return records >= earlier.records && finished.count >= earlier.finished.count
    }

    /// Whether the section repeats an earlier attempt and not all of its records have been read
    /// again.
    var isReadAgain: Bool { earlier != nil && !isComplete }

    /// The number of rows to write; not valid during `forEachBatch`.
    var rowCount: Int { spill.count }

    /// Whether writing its file failed.
    var hasFailed: Bool { spill.hasFailed }

    /// Whether more than half of its records are of new objects, which need no sorting.
    var isMostlyNew: Bool { newRecords > records / 2 }

    /// Adds the rows of a batch, except rows that an earlier attempt has written.
    ///
    /// - Throws: `CannotResume` if the batch differs from the earlier attempt; `RunFailure` (74) if
    ///   the disk has no more space.
    func add(_ batch: MappedBatch, _ writer: BulkWriter) throws {
        records += batch.recordCount
        if let input = batch.finishedInput { finished.append(input) }
        for row in 0..<batch.rows.count {
            let found = writer.knownRow(of: batch.rows, row, upTo: lastRow)
            rowsHash = (rowsHash &+ (found ?? 0)) &* 0x1E37_79B9_7F4A_7C15 &+ 1
            if let found {
                if !isWritten(found) { add(batch, row, UInt64(found)) }
            } else {
                newRecords += 1
                if newRecords > newWritten { add(batch, row, .max) }
            }
        }
        if let earlier { try compare(with: earlier, batch.position) }
    }

    /// Returns whether an earlier attempt has written the current record, which belongs to `row`.
    private func isWritten(_ row: Int64) -> Bool {
        guard row == writtenUpTo + 1, readOfNext < writtenOfNext else { return row <= writtenUpTo }
        readOfNext += 1
        return true
    }

    /// Checks that the records so far are those that an earlier attempt has read.
    ///
    /// - Parameters:
    ///   - earlier: The progress that the earlier attempt saved.
    ///   - position: The read position in the current input.
    /// - Throws: `CannotResume` if they differ.
    private func compare(with earlier: SectionNote, _ position: InputPosition?) throws {
        guard !spill.hasFailed else { throw Self.noSpace }
        guard records <= earlier.records, earlier.finished.starts(with: finished),
            !isComplete || Self.isSame(position, earlier.end)
        else { throw CannotResume("the records to read again have changed") }
        // The row IDs determine which records are written.
        guard !isComplete || rowsHash == earlier.rowsHash else {
            throw CannotResume("another program has deleted objects or changed their keys")
        }
    }

    /// Returns whether two positions are before the same record.
    ///
    /// Their offsets may differ, because one may be before the line break between two records, and
    /// the other after it. With equal offsets, the digests of the bytes before them must be equal.
    private static func isSame(_ one: InputPosition?, _ other: InputPosition?) -> Bool {
        one?.path == other?.path && one?.record == other?.record
            && (one?.offset != other?.offset || one?.digest == other?.digest)
    }

    private static let noSpace = RunFailure(
        .ioError, code: "run.sort-room",
        "There is not enough disk space for the records that the stopped run spooled next to the store",
        fix: "free disk space there and run it again, or start over with --restart")

    private func add(_ batch: MappedBatch, _ row: Int, _ number: UInt64) {
        spill.add(number, atMost: rows.byteCountMax(of: batch, row)) { room in
            rows.write(batch, row, to: room)
        }
    }

    // MARK: Writing

    /// Calls a closure with all rows in order, in batches.
    ///
    /// - Parameter body: Receives a batch; it may save `note(end:)` together with it.
    func forEachBatch(_ body: (StagedRows) throws -> Void) throws {
        var last: UInt64 = 0
        func give() throws {
            noteWritten(upTo: last)
            try body(rows)
            rows.removeAll()
        }
        try spill.forEach { number, piece in
            if rows.isFull || rows.count > 0 && number == .max && last != .max { try give() }
            rows.add(piece, number: number == .max ? 0 : Int64(number))
            last = number
        }
        if rows.count > 0 { try give() }
    }

    /// Records that the current rows are written.
    private func noteWritten(upTo last: UInt64) {
        guard last < .max else {
            (writtenUpTo, writtenOfNext) = (lastRow, 0)
            newWritten += rows.count
            return
        }
        let row = Int64(last)
        if writtenUpTo != row - 1 { (writtenUpTo, writtenOfNext) = (row - 1, 0) }
        writtenOfNext += rows.numbers.reversed().prefix { $0 == row }.count
    }

    /// Returns the progress of the section.
    ///
    /// - Parameter end: The position where the section ends; `nil` at the end of an input.
    func note(end: InputPosition?) -> SectionNote {
        SectionNote(
            end: end, records: records, finished: finished, lastRow: lastRow,
            writtenUpTo: writtenUpTo, writtenOfNext: writtenOfNext, newWritten: newWritten,
            rowsHash: rowsHash)
    }
}
