import Diagnostics
import GraphStore
import RecordStreams

/// Records that are kept aside until there are many, and then written in the order of their objects'
/// rows, those of new objects last and in their own order.
///
/// They wait in a file without a name. Nothing of a section is in the store before all of it was
/// read. What is noted with each save from then on (`SectionNote`) tells the next run, should this
/// one end, which records it has to read again, and which of them are written:
///
/// ```
/// saved │ section, of rows 7 3 9 new 3 5 │ not read yet
///         written as       3 3 5 7 9 new
///                              ^ a save: all up to row 4, and one of the next row
/// ```
final class StagedSection {
    /// Where the next run begins to read again; nil at the beginning of an input.
    let start: InputPosition?
    /// What an earlier attempt has written of the section, which ends where it ended then.
    let earlier: SectionNote?
    /// Rows behind that one count as new.
    private let lastRow: Int64
    private let recordsMax: Int
    private let rows: StagedRows
    /// So much of each run is in memory at least when they are merged.
    private static let runBlockBytesMin = 1 << 14
    private var spill: SortedSpill
    /// Records, good and bad.
    private(set) var records = 0
    /// Inputs that ended in the section.
    private(set) var finished: [InputNote] = []
    /// Records of new objects.
    private var newRecords = 0
    private var newWritten = 0
    /// All records of rows up to that one are written, and so many of the next row.
    private var writtenUpTo: Int64 = 0
    private var writtenOfNext = 0
    /// How many of that row an earlier attempt has written, and were read again.
    private var readOfNext = 0
    /// Tells which row was found for which record.
    private var rowsHash: Int64 = 0

    /// - Parameters:
    ///   - start: where the next run begins to read again.
    ///   - lastRow: rows behind that one count as new.
    ///   - recordsMax: ends it, as soon as there are so many.
    ///   - file: where its records wait.
    ///   - budget: what it may take of memory, and when saves come.
    init(
        _ plan: ImportPlan, from start: InputPosition?, lastRow: Int64, recordsMax: Int,
        in file: SpillFile, _ budget: BudgetSpec
    ) {
        self.start = start
        earlier = nil
        self.lastRow = lastRow
        self.recordsMax = recordsMax
        rows = StagedRows(plan, saveEvery: budget.saveEvery)
        let memoryBytes = MemoryShares(budget.memory).staging
        // Others need the disk, too, and first of all the store.
        spill = SortedSpill(
            in: file, memoryBytes: memoryBytes, fileBytesMax: (file.size + file.freeBytes) / 4,
            runsMax: max(2, memoryBytes / 2 / Self.runBlockBytesMin))
    }

    /// The section of an earlier attempt, once more.
    init(
        _ plan: ImportPlan, again earlier: SectionNote, from start: InputPosition?,
        in file: SpillFile, _ budget: BudgetSpec
    ) {
        self.start = start
        self.earlier = earlier
        lastRow = earlier.lastRow
        recordsMax = earlier.records
        rows = StagedRows(plan, saveEvery: budget.saveEvery)
        spill = SortedSpill(in: file, memoryBytes: MemoryShares(budget.memory).staging)
        (newWritten, writtenUpTo) = (earlier.newWritten, earlier.writtenUpTo)
        writtenOfNext = earlier.writtenOfNext
    }

    // MARK: Staging

    /// Whether it has all records that it is to have.
    var isComplete: Bool {
        guard let earlier else { return records >= recordsMax || spill.isFull }
        return records >= earlier.records && finished.count >= earlier.finished.count
    }

    /// Whether an earlier attempt has kept the same records aside, and not all are there again.
    var isReadAgain: Bool { earlier != nil && !isComplete }

    /// How many rows are to be written; not to be asked while they are given.
    var rowCount: Int { spill.count }

    /// Its file could not be written.
    var hasFailed: Bool { spill.hasFailed }

    /// Most of its records are of new objects, which are in order anyway.
    var isMostlyNew: Bool { newRecords > records / 2 }

    /// Keeps the rows of a batch, but for those that an earlier attempt has written.
    ///
    /// - Throws: `CannotResume` where the batch is not what it was then, `RunFailure` (74) where there
    ///   is no room for it any more.
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

    /// Whether an earlier attempt has written the record at hand, of that row.
    private func isWritten(_ row: Int64) -> Bool {
        guard row == writtenUpTo + 1, readOfNext < writtenOfNext else { return row <= writtenUpTo }
        readOfNext += 1
        return true
    }

    /// - Parameter position: how far the input at hand was read.
    private func compare(with earlier: SectionNote, _ position: InputPosition?) throws {
        guard !spill.hasFailed else { throw Self.noRoom }
        guard records <= earlier.records, earlier.finished.starts(with: finished),
            !isComplete || Self.isSame(position, earlier.end)
        else { throw CannotResume("the records to read again have changed") }
        // Which records are written is known by their rows.
        guard !isComplete || rowsHash == earlier.rowsHash else {
            throw CannotResume("another program has deleted objects or changed their keys")
        }
    }

    /// Where its bytes end may differ by what stands between two records; the reader compares those.
    private static func isSame(_ one: InputPosition?, _ other: InputPosition?) -> Bool {
        one?.path == other?.path && one?.record == other?.record
            && (one?.offset != other?.offset || one?.digest == other?.digest)
    }

    private static let noRoom = RunFailure(
        .ioError, code: "run.sort-room",
        "There is not enough disk space for the records that the stopped run spooled next to the store",
        fix: "free disk space there and run it again, or start over with --restart")

    private func add(_ batch: MappedBatch, _ row: Int, _ number: UInt64) {
        spill.add(number, atMost: rows.byteCountMax(of: batch, row)) { room in
            rows.write(batch, row, to: room)
        }
    }

    // MARK: Writing

    /// Gives all rows in order.
    ///
    /// - Parameter body: gets some of them; `note(end:)` may be saved with them.
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

    /// Notes that the rows at hand are written.
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

    /// How far the section is written.
    ///
    /// - Parameter end: where it ends; nil at the end of an input.
    func note(end: InputPosition?) -> SectionNote {
        SectionNote(
            end: end, records: records, finished: finished, lastRow: lastRow,
            writtenUpTo: writtenUpTo, writtenOfNext: writtenOfNext, newWritten: newWritten,
            rowsHash: rowsHash)
    }
}
