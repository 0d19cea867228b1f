import Diagnostics
import RecordStreams

/// A report on records that share a value of a field that looks like a key.
struct RepeatedKey {
    /// The name of the field in the input.
    var field: String
    /// The number of records whose value in the field also occurs in an earlier record.
    var count: Int
    /// Whether every record that repeats a value equals the earlier record in all fields.
    var areEqual: Bool
    /// Whether each record was compared with all earlier ones.
    var isWhole = true
    /// The position of the first record that repeats a value, or of the first one that also
    /// differs.
    var location: RecordLocation
    var earlier: Int

    /// The maximum number of records that may repeat others.
    fileprivate var countMax: Int

    /// The maximum number of records that may repeat others if the field is the key.
    static func countMax(of records: Int) -> Int { max(1, records / 100) }

    /// Whether the field is still the key: the repetitions are few, equal, and completely compared.
    var isKey: Bool { areEqual && isFew && isWhole }
    private var isFew: Bool { count <= countMax }

    /// Returns the warning about the repetitions.
    ///
    /// - Parameters:
    ///   - entity: the entity of the records.
    ///   - isImported: whether the records are imported, so that the store keeps the other key.
    func warning(of entity: InferredEntity, isImported: Bool) -> Diagnostic {
        guard !isKey else {
            return Diagnostic(
                .warning, code: "infer.repeated-record",
                count == 1
                    ? "1 record repeats another one exactly and becomes the same object"
                    : "\(count.grouped) records repeat another one exactly and become the"
                        + " same object", at: .record(location),
                fix: "if each one is a separate object, add a column that distinguishes them")
        }
        return Diagnostic(
            .warning, code: "infer.no-key",
            "\(field) is not the key of \(entity.name): records \(earlier) and"
                + " \(location.record ?? 0) have the same one"
                + (!areEqual
                    ? " and differ"
                    : isFew
                        ? ", and there are too many records to compare all"
                        : ", and too many records repeat others"),
            at: .record(location),
            fix: (isImported
                ? "correct one of them and import into a new store; or import into a new store with"
                : "correct one of them; or give")
                + " --key \(CommandExample.shell(field)), and the last record of each \(field)"
                + " counts")
    }
}

extension Sample {
    /// The position of a record and the hash of its content.
    private struct Row {
        var file: Int
        var number: Int
        var content: UInt64
    }

    /// Reads all files again to check whether records with the same value of a field are equal.
    ///
    /// - Parameters:
    ///   - leaf: the field, which every record has.
    ///   - countMax: the maximum number of repetitions; reading stops after more.
    ///   - limit: the maximum number of records to read.
    /// - Returns: the repetitions up to the first record that differs; `nil` if no value occurs
    ///   twice in one file.
    func repeats(
        of leaf: Leaf, countMax: Int, limit: Int
    ) throws(RecordStreamError) -> RepeatedKey? {
        var rows: [UInt64: Row] = [:]
        var found: RepeatedKey?
        var left = limit
        var isWhole = true
        for (file, input) in inputs.enumerated() {
            let columns = input.form.columns
            let paths = columns?.map { FieldPath(name: $0) } ?? [leaf.path(in: input.form)]
            let place =
                input.form.source(of: leaf.source).flatMap { columns?.firstIndex(of: $0) } ?? 0
            let reader = try reader(of: input, paths)
            let batch = RecordBatch()
            while left > 0, try reader.next(batch) {
                for record in 0..<min(batch.count, left) {
                    left -= 1
                    let fields = batch.fields(of: record)
                    let key = DistinctValues.hash(fields[place].bytes)
                    let row = Row(
                        file: file, number: batch.number(of: record),
                        content: columns == nil
                            ? DistinctValues.hash(batch.rawRecord(record))
                            : Self.content(fields))
                    guard let other = rows[key], other.file == file else {
                        if rows[key] != nil || rows.count < DistinctValues.countMax {
                            rows[key] = row
                        } else {
                            isWhole = false
                        }
                        continue
                    }
                    let areEqual = other.content == row.content
                    if found == nil || !areEqual {
                        found = RepeatedKey(
                            field: leaf.source, count: found?.count ?? 0, areEqual: areEqual,
                            location: batch.location(of: record, field: nil),
                            earlier: other.number, countMax: countMax)
                    }
                    found?.count += 1
                    if let found, !found.isKey { return found }
                }
            }
        }
        found?.isWhole = isWhole
        return found
    }

    /// Returns a hash of all fields of a row of a table.
    private static func content(_ fields: UnsafeBufferPointer<Field>) -> UInt64 {
        fields.reduce(0) { hash, field in
            // An empty text differs from a missing value.
            let isText: UInt64 = field.kind == .string ? 1 : 0
            return DistinctValues.hash(
                hash, and: DistinctValues.hash(field.bytes) &+ isText)
        }
    }
}
