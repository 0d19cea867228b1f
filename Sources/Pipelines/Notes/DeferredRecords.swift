import Diagnostics
import Files
import GraphStore
import RecordStreams

/// The records of deferred rows, stored in the store until their rows are resolved.
///
/// They survive a run that is killed, and need no memory.
///
/// A note is a line of numbers, then the input's path and the bytes of the record. The line may be
/// followed by the record's row key and by the distances of the fields of links from the record's
/// start.
struct DeferredRecords {
    static let kind = "record"
    private let context: ManagedObjectContext
    private let paths: NotedPaths

    init(_ context: ManagedObjectContext, _ paths: NotedPaths) {
        self.context = context
        self.paths = paths
    }

    /// The largest number in an undamaged note; sums of them cannot overflow.
    private static let numberMax = 1 << 53
    /// A prefix of the row key, so that it is not parsed as a number.
    private static let keyMark = "k"
    /// A prefix of the name of a relationship, which its distance follows.
    private static let linkMark = "@"

    /// Stores the record of a deferred row under the row's token.
    ///
    /// - Parameter distances: the distances of the fields of links, by relationship.
    func add(
        _ record: RejectedRecord, token: Int64, _ distances: [(name: String, distance: Int)]
    ) throws {
        let place = record.location
        let source = paths.noted(place.file).bytes
        let numbers = [
            place.record ?? -1, place.byteOffset ?? -1, place.line ?? -1, place.column ?? -1,
            source.count,
        ]
        let head =
            (numbers.map(String.init) + (record.rowKey.map { [Self.keyMark + $0] } ?? [])
            + distances.map { "\(Self.linkMark)\($0.name)=\($0.distance)" })
            .joined(separator: " ") + "\n"
        try context.writeProgressNote(Self.kind, token, Array(head.utf8) + source + record.raw)
    }

    /// Returns the record of a deferred row.
    ///
    /// - Parameter property: the property at fault. If it is a link with a field, the location is
    ///   that of the field.
    /// - Throws: `RunFailure` (65) if its note is missing or damaged.
    func record(_ token: Int64, at property: String?) throws -> RejectedRecord {
        guard let note = try context.progressNote(Self.kind, token),
            let lineEnd = note.firstIndex(of: 10)
        else { throw RunFailure.damagedNotes }
        let words = String(decoding: note[..<lineEnd], as: UTF8.self).split(separator: " ")
        let numbers = words.compactMap { Int($0) }
        let rest = note[(lineEnd + 1)...]
        guard numbers.count == 5, numbers.allSatisfy({ $0 >= -1 && $0 <= Self.numberMax }),
            (0...rest.count).contains(numbers[4])
        else { throw RunFailure.damagedNotes }
        func known(_ number: Int) -> Int? { number < 0 ? nil : number }
        var record = RejectedRecord(
            code: "", detail: "",
            location: RecordLocation(
                file: paths.path(FileName(bytes: rest.prefix(numbers[4]))),
                record: known(numbers[0]), byteOffset: known(numbers[1]),
                line: known(numbers[2]), column: known(numbers[3])),
            message: "", raw: Array(rest.dropFirst(numbers[4])))
        record.rowKey = words.last { $0.hasPrefix(Self.keyMark) }.map { String($0.dropFirst()) }
        if let property, let word = words.last(where: { $0.hasPrefix("@\(property)=") }),
            let distance = Int(word.dropFirst(property.count + 2)), distance >= 0
        {
            record.location = record.location.advanced(over: record.raw.prefix(distance))
        }
        return record
    }
}
