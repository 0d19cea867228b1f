import Digests
import Diagnostics
import GraphModel
import RecordStreams
import SQLite

/// Computes the keys of records that have no unique field, for `expr: "rowkey()"`.
///
/// A key is the SHA-256 of all fields of the record, or of the given fields. Equal records of one
/// input also get a number, so that all of them are kept. The same input always has the same keys.
///
/// ```
/// a,b,1 → 9f86…    a,b,1 → 9f86…-2    a,c,1 → 60303…
/// ```
/// It is for one thread, which reads inputs from beginning to end.
final class RowKeys {
    private let options: ReadOptions
    private let fields: [String]
    private let members: MemberTree
    private let counts: OccurrenceCounts
    private var columns: [String] = []
    /// The indexes of the columns, sorted by name, so that the order of the columns has no effect.
    private var order: [Int] = []
    private var rows: RowSplitter?
    /// Whether to hash the bytes of the row instead of its fields.
    ///
    /// Rows with an escape character or a long delimiter are not split into fields here.
    private var isWholeRow = false
    /// The keys of rejects, by record number.
    private var known: [String?] = []

    /// Creates keys for an import.
    ///
    /// - Parameters:
    ///   - fields: The fields that form a key; if empty, all fields.
    ///   - memory: The memory budget for counting records, in bytes.
    init(_ options: ReadOptions, _ fields: RowKeyFields, memory: Int) {
        self.options = options
        self.fields = fields.names
        members = MemberTree(fields.names)
        counts = OccurrenceCounts(memory: memory)
    }

    /// Starts an input.
    ///
    /// - Parameters:
    ///   - file: The input.
    ///   - known: The previous keys of its records, by record number.
    func begin(_ reader: RecordReader, of file: InputFile, known: [String?] = []) throws {
        self.known = known
        counts.removeAll()
        columns = reader.columnNames ?? []
        order = columns.indices.filter { place in
            fields.isEmpty || fields.contains { Self.areSame($0, columns[place]) }
        }.sorted { first, second in
            let (first, second) = (columns[first], columns[second])
            return first == second
                ? first.utf8.lexicographicallyPrecedes(second.utf8) : first < second
        }
        rows = nil
        isWholeRow = false
        guard reader.format.isTabular else { return }
        // Without the column, the keys would not identify the objects.
        if let missing = fields.first(where: { field in
            !columns.contains { Self.areSame($0, field) }
        }) {
            throw RecordStreamError(
                .csvUnknownColumn(name: missing, header: columns),
                at: RecordLocation(file: file.path))
        }
        let delimiter = options.delimiter ?? [reader.format == .tsv ? 9 : UInt8(ascii: ",")]
        guard delimiter.count == 1 || !fields.isEmpty, options.escape == nil else {
            isWholeRow = true
            return
        }
        rows = reader.rowSplitter()
    }

    /// Returns whether two names are the same column: `String` treats canonically equivalent names
    /// as equal.
    private static func areSame(_ name: String, _ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8)
    }

    /// Computes the keys of a batch's records.
    func fill(_ batch: MappedBatch) throws {
        batch.rowKeys.removeAll(keepingCapacity: true)
        for record in 0..<batch.records.count {
            batch.rowKeys.append(try key(of: record, batch.records))
        }
    }

    /// Counts the records of a batch that an earlier attempt has imported, without storing their
    /// keys.
    func count(_ batch: RecordBatch) throws {
        for record in 0..<batch.count { _ = try key(of: record, batch) }
    }

    private func key(of record: Int, _ batch: RecordBatch) throws -> String {
        if !known.isEmpty, let number = batch.location(of: record, field: nil).record,
            known.indices.contains(number - 1), let key = known[number - 1]
        {
            return key
        }
        var digest = ByteDigest()
        if let rows {
            let fields = rows.fields(batch.rawRecord(record))
            for place in order where place < fields.count {
                Self.add(Array(columns[place].utf8), to: &digest)
                Self.add(fields[place], to: &digest)
            }
        } else if isWholeRow {
            digest.add(Array(batch.rawRecord(record)))
        } else {
            digest.add(CanonicalJSON.text(of: batch.rawRecord(record), members))
        }
        let bytes = digest.value
        let count = try counts.next(bytes)
        return count == 1 ? bytes.hexText : "\(bytes.hexText)-\(count)"
    }

    private static func add(_ bytes: [UInt8], to digest: inout ByteDigest) {
        digest.add(Array("\(bytes.count):".utf8))
        digest.add(bytes)
    }
}

/// The number of occurrences of each record, in memory up to a limit, then in a temporary table.
final class OccurrenceCounts {
    private struct Digest: Hashable, Comparable {
        var high: UInt64
        var low: UInt64

        static func < (first: Digest, second: Digest) -> Bool {
            (first.high, first.low) < (second.high, second.low)
        }
    }

    /// The approximate memory per record, in bytes.
    private static let entryBytes = 64

    private let countMax: Int
    private var counts: [Digest: Int] = [:]
    private var table: Connection?

    init(memory: Int) {
        countMax = max(16, memory / Self.entryBytes)
    }

    /// Removes all counts.
    func removeAll() {
        counts = [:]
        table = nil
    }

    /// Returns the number of occurrences of a record, including this one.
    func next(_ bytes: [UInt8]) throws -> Int {
        func word(_ start: Int) -> UInt64 {
            bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        let digest = Digest(high: word(0), low: word(8))
        let count = try (counts[digest] ?? stored(digest)) + 1
        counts[digest] = count
        if counts.count >= countMax { try store() }
        return count
    }

    private func stored(_ digest: Digest) throws -> Int {
        guard let table else { return 0 }
        let statement = try table.cached("SELECT N FROM COUNTS WHERE H = ? AND L = ?")
        defer { statement.reset() }
        statement.bind(Int64(bitPattern: digest.high), at: 1)
        statement.bind(Int64(bitPattern: digest.low), at: 2)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Moves the counts in memory to the table, a temporary file that SQLite deletes on close.
    private func store() throws {
        let table = try self.table ?? Self.makeTable()
        self.table = table
        try table.execute("BEGIN")
        let statement = try table.cached("INSERT OR REPLACE INTO COUNTS VALUES (?, ?, ?)")
        for (digest, count) in counts.sorted(by: { $0.key < $1.key }) {
            statement.bind(Int64(bitPattern: digest.high), at: 1)
            statement.bind(Int64(bitPattern: digest.low), at: 2)
            statement.bind(Int64(count), at: 3)
            _ = try statement.run()
        }
        try table.execute("COMMIT")
        counts.removeAll(keepingCapacity: true)
    }

    private static func makeTable() throws -> Connection {
        let table = try Connection(path: "", mode: .create)
        try table.execute("PRAGMA journal_mode = OFF")
        try table.execute("PRAGMA synchronous = OFF")
        try table.execute(
            "CREATE TABLE COUNTS (H INTEGER, L INTEGER, N INTEGER, PRIMARY KEY (H, L))"
                + " WITHOUT ROWID")
        return table
    }
}

/// JSON in canonical form, independent of white space, escapes, and the order of members.
enum CanonicalJSON {
    /// Returns the canonical text.
    ///
    /// - Parameters:
    ///   - bytes: Valid JSON.
    ///   - members: The members to include.
    static func text(
        of bytes: UnsafeBufferPointer<UInt8>, _ members: MemberTree = MemberTree()
    ) -> [UInt8] {
        var at = 0
        var text: [UInt8] = []
        value(bytes, &at, members, to: &text)
        return text
    }

    private static func value(
        _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int, _ counting: MemberTree,
        to text: inout [UInt8]
    ) {
        skipSpace(bytes, &at)
        guard at < bytes.count else { return }
        switch bytes[at] {
        case UInt8(ascii: "{"): object(bytes, &at, counting, to: &text)
        case UInt8(ascii: "["):
            text.append(bytes[at])
            at += 1
            while at < bytes.count {
                skipSpace(bytes, &at)
                guard at < bytes.count, bytes[at] != UInt8(ascii: "]") else { break }
                if bytes[at] == UInt8(ascii: ",") { at += 1 }
                value(bytes, &at, MemberTree(), to: &text)
            }
            at += 1
            text.append(UInt8(ascii: "]"))
        case UInt8(ascii: "\""): append(string(bytes, &at), to: &text)
        default:
            let start = at
            at += 1
            while at < bytes.count, !",]} \t\r\n".utf8.contains(bytes[at]) { at += 1 }
            text.append(UInt8(ascii: "#"))
            text += bytes[start..<at]
            // Without a terminator, `1` and the length of a following text would look like `12` and
            // another length.
            text.append(UInt8(ascii: ";"))
        }
    }

    private static func object(
        _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int, _ counting: MemberTree,
        to text: inout [UInt8]
    ) {
        var members: [(name: [UInt8], value: [UInt8])] = []
        at += 1
        while at < bytes.count {
            skipSpace(bytes, &at)
            guard at < bytes.count, bytes[at] != UInt8(ascii: "}") else { break }
            if bytes[at] == UInt8(ascii: ",") {
                at += 1
                skipSpace(bytes, &at)
            }
            let name = string(bytes, &at)
            skipSpace(bytes, &at)
            at += 1
            var text: [UInt8] = []
            let inside = counting.inside(name)
            value(bytes, &at, inside ?? MemberTree(), to: &text)
            if inside != nil { members.append((name, text)) }
        }
        at += 1
        text.append(UInt8(ascii: "{"))
        for (name, value) in members.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            append(name, to: &text)
            text += value
        }
        text.append(UInt8(ascii: "}"))
    }

    private static func append(_ string: [UInt8], to text: inout [UInt8]) {
        text += "\(string.count):".utf8
        text += string
    }

    private static func string(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> [UInt8] {
        at += 1
        let start = min(at, bytes.count)
        var hasEscapes = false
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            if bytes[at] == UInt8(ascii: "\\") {
                hasEscapes = true
                at += 1
            }
            at += 1
        }
        let raw = UnsafeBufferPointer(rebasing: bytes[start..<max(start, min(at, bytes.count))])
        at += 1
        return hasEscapes ? JSONEscapes.resolved(raw) : Array(raw)
    }

    private static func skipSpace(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) {
        while at < bytes.count, bytes[at] <= 32 { at += 1 }
    }
}
