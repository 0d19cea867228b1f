public import GraphModel
import SQLite

/// What a look at a store's file found.
public struct StoreVerification: Sendable, Hashable {
    /// How closely to look.
    public enum Level: Sendable, Hashable {
        /// The header, the tables' structure, the model and the keys that are handed out.
        case quick
        /// Also every index entry, every link and every external value.
        case full
    }

    /// What is wrong, a sentence each; empty where nothing is.
    public internal(set) var problems: [String] = []

    /// Whether nothing is wrong.
    public var isSound: Bool { problems.isEmpty }
}

extension PersistentContainer {
    /// Looks whether a store is sound, without changing it.
    ///
    /// - Parameter model: what the store should hold; nil leaves that out.
    /// - Throws: only where the file cannot be read at all.
    public static func verify(
        at path: String, _ level: StoreVerification.Level = .quick,
        model: ManagedObjectModel? = nil
    ) throws(StoreError) -> StoreVerification {
        guard StoreFiles.exists(path) else {
            throw StoreError(.missing, "\(path) does not exist")
        }
        var verification = StoreVerification()
        guard try StoreFiles.hasHeader(path) else {
            verification.problems.append("The file does not begin as an SQLite file does")
            return verification
        }
        do {
            let connection = try PersistentStore.readerOfStore(at: path)
            var verifier = StoreVerifier(connection, path)
            try verifier.run(level, model)
            verification.problems = verifier.problems
        } catch {
            guard error.code == .corrupt || error.code == .notAStore else { throw error }
            verification.problems.append(error.message)
        }
        return verification
    }
}

/// The checks of one store.
private struct StoreVerifier {
    private let connection: Connection
    private let path: String
    var problems: [String] = []
    private static let problemsMax = 100

    init(_ connection: Connection, _ path: String) {
        self.connection = connection
        self.path = path
    }

    mutating func run(
        _ level: StoreVerification.Level, _ model: ManagedObjectModel?
    ) throws(StoreError) {
        let check = level == .quick ? "quick_check" : "integrity_check"
        let lines = try texts("PRAGMA \(check)(\(Self.problemsMax))")
        problems += lines.filter { $0 != "ok" }
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            throw StoreError(.notAStore, "\(path) is an SQLite file, but not a store")
        }
        let stored = try PersistentStore.storedModel(connection)
        for (name, model) in [("the one given", model), ("the one in the store", stored)] {
            guard let model else { continue }
            let differing = metadata.entitiesThatDiffer(from: model)
            if !differing.isEmpty {
                problems.append(
                    "The version hashes differ from \(name): \(differing.joined(separator: ", "))")
            }
        }
        guard let model = stored ?? model else { return }
        let schema = StoreSchema(model)
        for entity in schema.entities where entity.superNumber == 0 {
            try checkRows(of: entity)
        }
        let pending = try count("SELECT count(*) FROM ETL_PENDING")
        if pending > 0 {
            problems.append("A load is not finished: \(pending) indexes are still to be made")
        }
        guard level == .full else { return }
        for entity in schema.entities { try checkLinks(of: entity, schema) }
        for join in schema.joinTables { try checkPairs(of: join, schema) }
        try checkExternalValues(schema)
        try checkFoldedTexts(schema)
    }

    private func texts(_ sql: String) throws(StoreError) -> [String] {
        try storing { () throws(SQLiteError) in
            let rows = try connection.prepare(sql)
            var found: [String] = []
            while try rows.step() { found.append(rows.string(0)) }
            return found
        }
    }

    private func count(_ sql: String) throws(StoreError) -> Int64 {
        try storing { () throws(SQLiteError) in try connection.integer(sql) ?? 0 }
    }

    private mutating func checkRows(of root: StoreSchema.Entity) throws(StoreError) {
        let table = root.table
        let largest = try count("SELECT max(Z_PK) FROM \(table)")
        let handedOut = try count("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number)")
        if handedOut < largest {
            problems.append(
                "\(root.name): key \(largest) is used, but only \(handedOut) handed out")
        }
        let numbers = root.familyNumbers.map(String.init).joined(separator: ",")
        let strange = try count(
            "SELECT count(*) FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
        if strange > 0 { problems.append("\(root.name): \(strange) rows are of no entity of it") }
    }

    private mutating func checkLinks(
        of entity: StoreSchema.Entity, _ schema: StoreSchema
    ) throws(StoreError) {
        for (name, columns) in entity.toOnes.sorted(by: { $0.key < $1.key }) {
            guard
                schema.model.entity(named: entity.name)?.ownRelationships
                    .contains(where: { $0.name == name }) == true,
                let destination = schema.entity(
                    named: columns.relationship.destinationEntityName)
            else { continue }
            let family = entity.familyCondition(alias: "t.").map { " AND \($0)" } ?? ""
            let dangling = try count(
                "SELECT count(*) FROM \(entity.table) t WHERE t.\(columns.column) IS NOT NULL"
                    + family + " AND NOT EXISTS (SELECT 1 FROM \(destination.table) d"
                    + " WHERE d.Z_PK = t.\(columns.column))")
            if dangling > 0 {
                problems.append("\(entity.name).\(name): \(dangling) links lead nowhere")
            }
        }
    }

    private mutating func checkPairs(
        of join: StoreSchema.JoinTable, _ schema: StoreSchema
    ) throws(StoreError) {
        for entity in schema.entities {
            for place in entity.toManys.values {
                guard case .joinTable(let side) = place, side.table == join.name,
                    let destination = schema.entity(
                        named: side.relationship.destinationEntityName)
                else { continue }
                let dangling = try count(
                    "SELECT count(*) FROM \(join.name) j WHERE NOT EXISTS (SELECT 1 FROM"
                        + " \(destination.table) d WHERE d.Z_PK = j.\(side.destinationColumn))")
                let problem =
                    "\(entity.name).\(side.relationship.name): \(dangling) links lead nowhere"
                if dangling > 0, !problems.contains(problem) { problems.append(problem) }
            }
        }
    }

    private mutating func checkFoldedTexts(_ schema: StoreSchema) throws(StoreError) {
        let found = try storing { () throws(SQLiteError) in
            try FoldTable.find(schema, on: connection)
        }
        for (table, fold) in found.sorted(by: { $0.key < $1.key }) {
            let wrong = try storing { () throws(SQLiteError) in
                try fold.countWrong(on: connection)
            }
            if wrong > 0 {
                problems.append("\(fold.name): \(wrong) rows are not the folded texts of \(table)")
            }
        }
    }

    private mutating func checkExternalValues(_ schema: StoreSchema) throws(StoreError) {
        let folder = StoreFiles.supportFolder(of: path) + "/_EXTERNAL_DATA/"
        for entity in schema.entities {
            for (name, place) in entity.attributes.sorted(by: { $0.key < $1.key })
            where place.attribute.allowsExternalBinaryDataStorage
                && place.declaringEntity == entity.name
            {
                let files = try texts(
                    "SELECT CAST(substr(\(place.column), 2, 36) AS TEXT) FROM \(entity.table)"
                        + " WHERE substr(\(place.column), 1, 1) = x'02'")
                for file in files where !StoreFiles.exists(folder + file) {
                    problems.append("\(entity.name).\(name): the file \(file) is missing")
                }
            }
        }
    }
}

extension StoreFiles {
    /// Whether the file begins as SQLite's do (https://www.sqlite.org/fileformat.html).
    fileprivate static func hasHeader(_ path: String) throws(StoreError) -> Bool {
        let bytes = try read(path, first: 16)
        return bytes == Array("SQLite format 3".utf8) + [0]
    }
}
