import FoundationEssentials
import GraphModel
import SQLite

/// The state of a load that the next load needs to resume it, besides its rows.
private struct LoadState: Codable {
    var firstOwnKey: Int64
    /// The keys from `firstOwnKey` on that other writers used, as lower and upper bounds.
    var foreignKeys: [[Int64]]?
    /// The first key that other writers may use before the load resumes.
    var nextKey: Int64?
    var moves: UInt64
    var tally: BulkTally
    var notes: Int64

    /// Whether a load may have written this state.
    var isPlausible: Bool {
        let known = 0...ProgressNotes.countMax
        let counts = [
            tally.inserted, tally.updated, tally.unchanged, tally.skipped, tally.superseded,
            tally.rejected, tally.createdTargets, tally.supersededItems ?? 0,
        ]
        return known.contains(notes) && moves <= UInt64(ProgressNotes.countMax)
            && counts.allSatisfy { known.contains(Int64($0)) }
            && (foreignKeys ?? []).allSatisfy { $0.count == 2 && $0[0] <= $0[1] }
    }
}

extension BulkWriter {
    /// The kinds of progress notes that a load writes; a run removes them when the load is
    /// finished.
    ///
    /// Earlier versions also wrote `inverseChanges` notes, which nothing reads.
    package static let noteKinds = [
        stateKind, "seen", "spared", "net", DeferredRowSpill.kind, "far", LinkVersions.noteKind,
    ]

    /// The kinds of progress notes about deferred rows; they are removed when no row is deferred
    /// any longer.
    package static let deferredKinds = [DeferredRowSpill.kind, LinkVersions.noteKind]

    /// The kind of the note with the tally of a load, which `tally(inNote:)` reads.
    package static let stateKind = "load"

    /// Returns the tally in the note of a load; `nil` if the note is damaged.
    package static func tally(inNote note: [UInt8]) -> BulkTally? {
        let state = try? JSONDecoder().decode(LoadState.self, from: Data(note))
        return state.flatMap { $0.isPlausible ? $0.tally : nil }
    }

    /// Writes the progress notes from which the next load can resume, in the open transaction.
    ///
    /// They state which rows had records, how each row differs from its original state, and which
    /// rows are deferred. Called after `flush()` and before the commit.
    package func noteState() throws(StoreError) {
        guard var journal else { return }
        let connection = session.connection
        let state = try encodedState(notes: journal.number + 1)
        for (kind, runs, set) in [("seen", journal.seen, seen), ("spared", journal.spared, spared)]
        {
            let note = Self.note(of: runs, in: set)
            if !note.isEmpty { try ProgressNotes.write(kind, journal.number, note, on: connection) }
        }
        if !journal.changed.isEmpty {
            var note = NoteWriter()
            try note.write(journal.changed, of: &net)
            try ProgressNotes.write("net", journal.number, note.bytes, on: connection)
        }
        for place in journal.deferredCount..<max(journal.deferredCount, deferredRows.count) {
            try ProgressNotes.write(
                DeferredRowSpill.kind, deferredRows.lastEntry(place).token,
                deferredRows.note(place),
                on: connection)
        }
        journal.deferredCount = max(journal.deferredCount, deferredRows.count)
        if let note = try times?.takeNote(), !note.isEmpty {
            try ProgressNotes.write(
                LinkVersions.noteKind, journal.number, note, on: connection)
        }
        journal.number += 1
        try ProgressNotes.write(Self.stateKind, 0, state, on: connection)
        journal.removeAll()
        self.journal = journal
    }

    private func encodedState(notes: Int64) throws(StoreError) -> [UInt8] {
        do {
            let state = LoadState(
                firstOwnKey: firstOwnKey,
                foreignKeys: foreignKeys.map { [$0.lowerBound, $0.upperBound] },
                nextKey: try session.peekKey(root: plan.entity.rootNumber), moves: moves,
                tally: tally, notes: notes)
            return Array(try JSONEncoder().encode(state))
        } catch {
            throw StoreError(.internalError, "The state of a load cannot be encoded: \(error)")
        }
    }

    /// Encodes the keys as distances between ranges, without keys whose rows were rejected later.
    ///
    /// - Parameter set: The keys whose rows were not rejected.
    private static func note(of runs: [Range<Int64>], in set: PrimaryKeySet) -> [UInt8] {
        var note = NoteWriter()
        var last: Int64 = 0
        var noted = Int64.min
        for run in runs.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // A key whose row was rejected and written again is in two runs.
            var start = max(run.lowerBound, noted)
            while start < run.upperBound {
                while start < run.upperBound, !set.contains(start) { start += 1 }
                var end = start
                while end < run.upperBound, set.contains(end) { end += 1 }
                guard end > start else { break }
                note.write(UInt64(bitPattern: start &- last))
                note.write(UInt64(end - start))
                (last, noted) = (end, end)
                start = end
            }
        }
        return note.bytes
    }

    /// Reads the progress notes of an earlier load of the same stage.
    ///
    /// - Returns: The first key of the rows that the earlier load inserted; `nil` if there is no
    ///   such note.
    func recallState() throws(StoreError) -> Int64? {
        let connection = session.connection
        guard let saved = try ProgressNotes.read(Self.stateKind, on: connection).first else {
            return nil
        }
        let state: LoadState
        do {
            state = try JSONDecoder().decode(LoadState.self, from: Data(saved.value))
        } catch {
            throw ProgressNotes.damaged
        }
        guard state.isPlausible else { throw ProgressNotes.damaged }
        let keysMax = max(
            try session.peekKey(root: plan.entity.rootNumber),
            try connection.largestKey(in: plan.entity.table))
        try ProgressNotes.forEach("seen", on: connection) { _, value throws(StoreError) in
            try Self.recall(value, into: &seen, keysMax: keysMax)
        }
        try ProgressNotes.forEach("spared", on: connection) { _, value throws(StoreError) in
            try Self.recall(value, into: &spared, keysMax: keysMax)
        }
        try ProgressNotes.forEach("net", on: connection) { _, value throws(StoreError) in
            var reader = NoteReader(value)
            try reader.changes(into: &net)
        }
        try ProgressNotes.forEach(
            DeferredRowSpill.kind, on: connection
        ) { token, value throws(StoreError) in
            try deferredRows.add(note: value, token: token)
            // The rows are in the notes, so they need not stay in memory.
            if deferredRows.isOverMemory { try deferredRows.forgetRows() }
        }
        if let times, deferredRows.count > 0 {
            times.keep()
            try ProgressNotes.forEach(
                LinkVersions.noteKind, on: connection
            ) { _, value throws(StoreError) in try times.recall(value) }
        }
        foreignKeys = (state.foreignKeys ?? []).map { $0[0]..<$0[1] }
        if let next = state.nextKey, next < firstOwnKey { foreignKeys.append(next..<firstOwnKey) }
        moves = state.moves
        tally = state.tally
        journal?.number = state.notes
        journal?.deferredCount = deferredRows.count
        return state.firstOwnKey
    }

    /// Adds the keys of a note to a set.
    ///
    /// - Parameter keysMax: The number of keys in the table; a note with more is damaged.
    private static func recall(
        _ note: [UInt8], into set: inout PrimaryKeySet, keysMax: Int64
    ) throws(StoreError) {
        var reader = NoteReader(note)
        var last: Int64 = 0
        var left = UInt64(max(0, keysMax))
        while !reader.isAtEnd {
            let start = last &+ Int64(bitPattern: try reader.number())
            let count = try reader.number()
            guard count <= left, start <= .max - Int64(count) else { throw ProgressNotes.damaged }
            left -= count
            last = start + Int64(count)
            for key in start..<last { _ = set.insert(key) }
        }
    }
}

extension DeferredRows {
    /// Returns a deferred row as bytes: its key hashes, then its cells.
    func note(_ place: Int) -> [UInt8] {
        var note = NoteWriter()
        note.write(word: lastEntry(place).key)
        note.write(word: lastEntry(place).awaited)
        for column in 0..<rows.width {
            note.write(rows[place - spilled, column], of: rows)
        }
        return note.bytes
    }

    fileprivate mutating func add(note bytes: [UInt8], token: Int64) throws(StoreError) {
        var reader = NoteReader(bytes)
        let key = try reader.word()
        let awaited = try reader.word()
        try reader.row(into: rows)
        note(entry: DeferredRowIndex.Entry(token: token, key: key, awaited: awaited))
    }

    /// Adds the row of a note to a batch.
    ///
    /// - Returns: The index of the row.
    @discardableResult
    static func read(note bytes: [UInt8], into rows: RowBatch) throws(StoreError) -> Int {
        var reader = NoteReader(bytes)
        // Skip the key hashes.
        _ = (try reader.word(), try reader.word())
        return try reader.row(into: rows)
    }
}

extension NoteWriter {
    /// Writes the differences of rows from their original state, in the order of their keys.
    fileprivate mutating func write(
        _ keys: [Int64], of net: inout RowDiffs
    ) throws(StoreError) {
        var last: Int64 = 0
        for key in Set(keys).sorted() {
            let state = try net.state(key)
            write(UInt64(bitPattern: key &- last))
            write(word: state.distance)
            write(UInt64(state.isRaised ? 1 : 0))
            last = key
        }
    }

    fileprivate mutating func write(_ cell: BulkCell, of rows: RowBatch) {
        write(UInt64(cell.kind.rawValue))
        switch cell.kind {
        case .absent, .null: break
        case .list:
            write(UInt64(cell.listCount))
            for item in cell.listStart..<(cell.listStart + cell.listCount) {
                write(rows.item(item), of: rows)
            }
        case .integer: write(word: UInt64(bitPattern: cell.integerValue))
        case .real: write(word: cell.realValue.bitPattern)
        case .text, .blob: write(cell.bytes)
        }
    }
}

extension NoteReader {
    /// The maximum depth of lists in a row; objects nested in a record take two levels each.
    private static let depthMax = 256

    fileprivate mutating func changes(into net: inout RowDiffs) throws(StoreError) {
        // The notes do not state which writer changed the rows.
        net.noteSharing()
        var last: Int64 = 0
        while !isAtEnd {
            last = last &+ Int64(bitPattern: try number())
            let distance = try word()
            let isRaised = try number() != 0
            try net.set(last, RowDiffs.State(distance: distance, isRaised: isRaised))
        }
    }

    @discardableResult
    fileprivate mutating func row(into rows: RowBatch) throws(StoreError) -> Int {
        let row = rows.addRow()
        for column in 0..<rows.width { rows[row, column] = try cell(into: rows, depth: 0) }
        try end()
        return row
    }

    fileprivate mutating func cell(
        into rows: RowBatch, depth: Int
    ) throws(StoreError) -> BulkCell {
        switch BulkCell.Kind(rawValue: UInt8(clamping: try number())) {
        case nil: throw ProgressNotes.damaged
        case .absent: return .absent
        case .list:
            guard depth < Self.depthMax else { throw ProgressNotes.damaged }
            var cells: [BulkCell] = []
            for _ in 0..<(try count()) { cells.append(try cell(into: rows, depth: depth + 1)) }
            let start = rows.beginList()
            for cell in cells { rows.addItem(cell) }
            return rows.list(from: start)
        case .null: return .null
        case .integer: return .integer(Int64(bitPattern: try word()))
        case .real: return .real(Double(bitPattern: try word()))
        case .text: return rows.arena.cell(.text(String(decoding: try text(), as: UTF8.self)))
        case .blob: return rows.arena.cell(.blob(Array(try text())))
        }
    }
}
