import Diagnostics
import RecordStreams

/// Facts about the fields of all records that an import has counted.
///
/// The batches carry them to the writer, which saves them with the records. So a run that resumes
/// has the facts of all attempts, and counts no record twice.
struct ReadFacts: Decodable, Sendable {
    /// The records in which an object repeats a key.
    struct DuplicateKeys: Decodable, Sendable {
        var records: Int
        /// The input of the first such record, as messages show it.
        var file: String
        var record: Int?
        var line: Int?
        var column: Int?
        var byte: Int?

        /// The location of the first record in which an object repeats a key.
        var location: RecordLocation {
            RecordLocation(
                source: file, record: record, byteOffset: byte, line: line, column: column)
        }
    }

    /// The maximum number of unmapped fields with a count; fields found later are not counted.
    ///
    /// The limit exists because each save writes all counts.
    static let fieldsMax = 1_000

    /// The number of records with each unmapped field.
    private var extra: [String: Int] = [:]
    /// The records in which an object repeats a key; `nil` if there are none.
    private(set) var duplicateKeys: DuplicateKeys?

    /// The attributes that no table has a column for; `nil` without a table.
    private(set) var unfilled: [String]?

    private enum CodingKeys: String, CodingKey { case extraFields, duplicateKeys, unfilled }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        extra = Dictionary(
            try values.decode([FieldCount].self, forKey: .extraFields).map {
                ($0.name, $0.records)
            },
            uniquingKeysWith: { first, _ in first })
        duplicateKeys = try values.decodeIfPresent(DuplicateKeys.self, forKey: .duplicateKeys)
        unfilled = try values.decodeIfPresent([String].self, forKey: .unfilled)
    }

    /// The unmapped fields, sorted by name.
    var extraFields: [FieldCount] {
        extra.map { FieldCount(name: $0.key, records: $0.value) }.sorted { $0.name < $1.name }
    }

    /// Adds the attributes that a table has no column for.
    mutating func add(unfilled names: [String]) {
        guard unfilled != names else { return }
        unfilled = unfilled.map { $0.filter(names.contains) } ?? names
    }

    /// Adds the facts of a batch; batches arrive in the order of the inputs.
    ///
    /// - Parameter countsDuplicateKeys: Whether records that repeat a key are counted, because they
    ///   are not rejected.
    mutating func add(
        _ records: RecordBatch, extraFields: [(name: String, count: Int)], countsDuplicateKeys: Bool
    ) {
        for (name, count) in extraFields where extra[name] != nil || extra.count < Self.fieldsMax {
            extra[name, default: 0] += count
        }
        guard countsDuplicateKeys, records.duplicateKeyCount > 0 else { return }
        let found = (0..<records.count).filter { records.duplicateKeyCount(of: $0) > 0 }
        guard let record = found.first else { return }
        if duplicateKeys == nil {
            let place = records.location(of: record, field: nil)
            duplicateKeys = DuplicateKeys(
                records: 0, file: OutputText.masked(place.source), record: place.record,
                line: place.line, column: place.column, byte: place.byteOffset)
        }
        duplicateKeys?.records += found.count
    }
}

extension ReadFacts: JSONWritable {
    var json: JSONTree {
        .fields([
            "extraFields": extraFields, "duplicateKeys": duplicateKeys, "unfilled": unfilled,
        ])
    }
}

extension ReadFacts.DuplicateKeys: JSONWritable {
    var json: JSONTree {
        .fields([
            "records": records, "file": file, "record": record, "line": line, "column": column,
            "byte": byte,
        ])
    }
}
