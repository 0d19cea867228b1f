import Diagnostics
import Dispatch
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// Writes the changes of a store, oldest first, to standard output: `etl history`.
///
/// Each change is a line that contains the position after it. A reader that keeps the token of the
/// last line, or a position file, reads every change at least once. The file is written after the
/// lines.
package struct HistoryFeed: Sendable {
    private static let pause = Duration.milliseconds(500)

    private let path: String
    private let isTerminal: Bool
    private let interruption: Interruption
    private let note: @Sendable (String) -> Void

    /// Creates a feed of changes to an output.
    ///
    /// - Parameters:
    ///   - path: the output file; `-` is standard output.
    ///   - isTerminal: whether control characters are escaped.
    ///   - interruption: ends the reading between two changes.
    ///   - note: called immediately with information that the lines do not contain.
    package init(
        to path: String = "-", isTerminal: Bool = false,
        interruption: Interruption = Interruption(),
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.path = path
        self.isTerminal = isTerminal
        self.interruption = interruption
        self.note = note
    }

    /// Writes the changes that the query selects.
    package func run(_ query: HistoryQuery) -> QueryOutcome {
        do {
            try URLCheck.reject(file: query.store)
            let output = try OutputFile(path: path, escapesControls: isTerminal)
            var reading = try Reading(query, output, interruption, note)
            try reading.run(pause: Self.pause)
            _ = try output.finish(rowCount: reading.written)
            return QueryOutcome(notes: reading.hints)
        } catch let stop as Interrupted {
            return QueryOutcome(status: stop.reason.status)
        } catch let error as RecordStreamError {
            // The reader has closed the pipe.
            if case .outputClosed = error.kind { return QueryOutcome() }
            return QueryOutcome(RunFailure(error))
        } catch {
            return QueryOutcome(RunFailure(history: error, store: query.store))
        }
    }
}

/// One reading of a history.
private struct Reading {
    private let query: HistoryQuery
    private let output: OutputFile
    private let interruption: Interruption
    private var filter = HistoryFilter()
    private var place: HistoryPlace?
    private(set) var written = 0
    /// An entity with a key of which deleted objects were printed without the key; for a hint.
    private var keyless: (entity: String, key: [String])?
    private var hasNoted = false
    private let note: (String) -> Void

    /// The number of pauses after which changes are read even if the store's files seem unchanged.
    private static let pausesMax = 10

    init(
        _ query: HistoryQuery, _ output: OutputFile, _ interruption: Interruption,
        _ note: @escaping (String) -> Void
    ) throws {
        self.query = query
        self.output = output
        self.interruption = interruption
        self.note = note
        if !query.authors.isEmpty { filter.authors = Set(query.authors) }
        if let since = query.since {
            switch try HistoryPoint(since, of: .since, now: query.now) {
            case .place(let place): self.place = place
            case .date(let date): filter.after = date
            }
        } else if let file = query.placeFile {
            place = try HistoryPlace.read(file)
        }
    }

    /// Hints for a user at a terminal.
    var hints: [String] {
        guard let (entity, key) = keyless else { return [] }
        let names = key.map { "\(entity).\($0)" }.joined(separator: " and ")
        return [
            "Deletions of \(entity) have no key, because the model does not preserve \(names) on"
                + " deletion"
        ]
    }

    private var isEnough: Bool { written >= query.limit ?? .max }

    mutating func run(pause: Duration) throws {
        if query.wantsToken {
            let token = try open().currentHistoryToken()
            return try write(Array((HistoryPlace(token).text + "\n").utf8))
        }
        var (state, pauses) = ("", 0)
        while true {
            let seen = FileDescriptor.state(ofStore: query.store)
            // Every save changes the file or its WAL.
            if seen != state || pauses == Self.pausesMax {
                try readChanges()
                (state, pauses) = (seen, 0)
            }
            guard query.follows, !isEnough else { return }
            try wait(pause)
            pauses += 1
        }
    }

    private func wait(_ pause: Duration) throws {
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end {
            try interruption.check()
            // Check often, to react quickly to a signal.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
        }
    }

    private func open() throws -> PersistentContainer {
        var options = StoreOptions()
        options.isReadOnly = true
        return try PersistentContainer(
            model: query.model, .sqlite(at: query.store, options: options))
    }

    /// Writes the new changes, and saves the position.
    ///
    /// The store is opened each time, because another store may have replaced it, for which the old
    /// position is not valid.
    private mutating func readChanges() throws {
        let container = try open()
        try name(entities: container.model)
        let before = place
        let reader = try container.historyReader(after: place?.token, matching: filter)
        notePurgedChanges(reader)
        let encoder = HistoryLineEncoder(container.schema)
        var stop: (any Error)?
        do {
            try write(reader, encoder)
        } catch let interrupted as Interrupted {
            stop = interrupted
        }
        if !isEnough, stop == nil { place = HistoryPlace(reader.end) }
        if let file = query.placeFile, let place, place != before { try place.write(to: file) }
        if let stop { throw stop }
    }

    private mutating func write(_ reader: HistoryReader, _ encoder: HistoryLineEncoder) throws {
        while !isEnough,
            let transaction = try reader.nextTransaction(changesAfter: place?.change ?? 0)
        {
            var next = try reader.nextChange()
            while !isEnough, let change = next {
                try interruption.check()
                next = try reader.nextChange()
                let next =
                    next == nil
                    ? HistoryPlace(transaction.token)
                    : HistoryPlace(
                        transaction.token.with(sequence: transaction.token.sequence - 1),
                        change: change.changeID)
                try write(try encoder.line(change, of: transaction, next, reader))
                if keyless == nil, change.kind == .delete, change.tombstone.isEmpty {
                    keyless = encoder.key(of: change.objectID)
                }
                place = next
                written += 1
            }
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try output.write($0) }
    }

    private mutating func name(entities model: ManagedObjectModel) throws {
        guard !query.entities.isEmpty else { return }
        let names = model.entities.map(\.name)
        for entity in query.entities where !names.contains(entity) {
            throw QueryMistake(
                .entityFlag, code: "query.unknown-entity",
                "The store has no entity '\(entity)'"
                    + Suggestion.phrase(for: entity, among: names),
                fix: "`etl fetch STORE` lists the entities of a store")
        }
        filter.entityNames = Set(query.entities)
    }

    /// Notes changes that were purged: a date can be before the oldest change.
    private mutating func notePurgedChanges(_ reader: HistoryReader) {
        guard let after = filter.after, !hasNoted else { return }
        hasNoted = true
        guard let oldest = reader.oldest else {
            if reader.end.sequence > 0 { note("The whole history has been purged") }
            return
        }
        guard oldest.token.sequence > 1, oldest.timestamp > after else { return }
        let time = ScalarText.isoDate(oldest.timestamp.timeIntervalSinceReferenceDate)
        note("The history begins at \(time); what changed before has been purged")
    }
}
