import GraphModel
import GraphStore

/// A cell of a record, in the notation of tests.
enum TestValue: Hashable, Sendable {
    case absent
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case list([TestValue])
}

extension TestValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
    init(nilLiteral: ()) { self = .null }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(floatLiteral value: Double) { self = .real(value) }
    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral elements: TestValue...) { self = .list(elements) }
}

extension RowBatch {
    /// Adds a record; missing cells at its end are absent.
    func add(_ record: [TestValue]) {
        let row = addRow()
        for (column, value) in record.enumerated() {
            self[row, column] = cell(value)
        }
    }

    private func cell(_ value: TestValue) -> BulkCell {
        switch value {
        case .absent: return .absent
        case .null: return .null
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .text(let value): return .text(stored(Array(value.utf8)))
        case .blob(let value): return .blob(stored(value))
        case .list(let items):
            let cells = items.map { cell($0) }
            let start = beginList()
            for cell in cells { addItem(cell) }
            return list(from: start)
        }
    }

    private func stored(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        bytes.withUnsafeBufferPointer { arena.copy($0) }
    }
}

/// The result of a load.
struct LoadOutcome {
    var tally = BulkTally()
    /// The rejects, in the order of the records.
    var rejects: [BulkReject] = []
    /// One change per save.
    var changes: [StoreChange] = []

    /// The numbers of inserted, updated, unchanged, superseded, and rejected records as text.
    var counts: String {
        "\(tally.inserted) new, \(tally.updated) changed, \(tally.unchanged) same, "
            + "\(tally.superseded) superseded, \(tally.rejected) rejected"
            + (tally.createdTargets > 0 ? ", \(tally.createdTargets) targets" : "")
    }

    /// `token code` of each reject, in the order of the records.
    var rejectedCodes: [String] {
        rejects.sorted { $0.token < $1.token }.map { "\($0.token) \($0.code)" }
    }
}

extension PersistentContainer {
    /// Loads records, numbered from 1, in batches, and builds the deferred indexes.
    @discardableResult
    func load(
        _ plan: BulkPlan, _ records: [[TestValue]], batchSize: Int = 1000,
        saveEvery: Int = .max, keyMemoryBytes: Int = 192 << 20, buildsIndexes: Bool = true,
        betweenSaves: ((Int) throws -> Void)? = nil
    ) throws -> LoadOutcome {
        let context = newContext()
        let writer = try context.bulkWriter(for: plan, memory: .ofTests(keys: keyMemoryBytes))
        let batch = RowBatch(width: plan.width)
        var outcome = LoadOutcome()
        var position = 0
        var unsaved = 0
        while position < records.count {
            let end = min(records.count, position + batchSize)
            batch.removeAll()
            for record in records[position..<end] { batch.add(record) }
            try writer.apply(batch, firstToken: Int64(position + 1))
            outcome.rejects += writer.takeRejects()
            unsaved += end - position
            position = end
            if unsaved >= saveEvery {
                unsaved = 0
                try writer.flush()
                outcome.changes.append(try context.save().change)
                try betweenSaves?(position)
            }
        }
        try writer.finish()
        outcome.rejects += writer.takeRejects()
        outcome.changes.append(try context.save().change)
        outcome.tally = writer.tally
        // If memory for keys is small, memory for sorting links is small, too.
        if buildsIndexes { try buildPendingIndexes(linkBytes: keyMemoryBytes / 3) }
        return outcome
    }
}

extension BulkMemory {
    /// Returns the memory limits for tests.
    ///
    /// If keys have less than 128 MiB, each of the other parts has 1 byte, and unused memory of
    /// keys is lent to the page cache.
    static func ofTests(keys: Int) -> BulkMemory {
        guard keys < 128 << 20 else { return BulkMemory(keys: keys) }
        var memory = BulkMemory(keys: keys, links: 1, deferredRows: 1, changes: 1)
        memory.lendsToPages = true
        return memory
    }
}

extension PropertyValue {
    /// The value in a line; the elements of composites are sorted by name.
    var text: String {
        switch self {
        case .attribute(.null), .object(nil): "-"
        case .attribute(.integer(let number)): "\(number)"
        case .attribute(.real(let number)): "\(number)"
        case .attribute(.text(let text)): text
        case .attribute(.blob(let bytes)): "\(bytes.count) bytes"
        case .object(let object?): "#\(object.objectID.primaryKey)"
        case .objects(let objects):
            "[" + objects.map { "#\($0.objectID.primaryKey)" }.joined(separator: " ") + "]"
        case .composite(let elements):
            "{"
                + elements.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text)" }
                .joined(separator: ", ") + "}"
        }
    }
}
