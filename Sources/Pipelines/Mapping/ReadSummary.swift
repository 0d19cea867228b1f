import Diagnostics
import RecordStreams
import Synchronization

/// What the reading side found out about the fields of all inputs of a stage.
final class ReadSummary: Sendable {
    /// Records in which an object has a key twice.
    struct DuplicateKeys {
        var records: Int
        var first: RecordLocation
    }

    private let extra = Mutex([String: Int]())
    private let duplicates = Mutex(DuplicateKeys?.none)

    /// Adds the fields of one input that nothing maps, each with its number of records.
    func add(extraFields: [(name: String, count: Int)]) {
        extra.withLock { extra in
            for (name, count) in extraFields { extra[name, default: 0] += count }
        }
    }

    /// The fields that nothing maps, by name.
    var extraFields: [FieldCount] {
        extra.withLock { extra in
            extra.map { FieldCount(name: $0.key, records: $0.value) }.sorted { $0.name < $1.name }
        }
    }

    /// Adds the records of a batch in which an object has a key twice.
    func add(duplicateKeysOf batch: RecordBatch) {
        guard batch.duplicateKeyCount > 0 else { return }
        let records = (0..<batch.count).filter { batch.duplicateKeyCount(of: $0) > 0 }
        guard let record = records.first else { return }
        let place = batch.location(of: record, field: nil)
        duplicates.withLock { known in
            var all = known ?? DuplicateKeys(records: 0, first: place)
            all.records += records.count
            // Batches of several threads come in any order.
            if (place.source, place.record ?? 0) < (all.first.source, all.first.record ?? 0) {
                all.first = place
            }
            known = all
        }
    }

    /// The records in which an object has a key twice; nil if there is none.
    var duplicateKeys: DuplicateKeys? { duplicates.withLock(\.self) }
}
