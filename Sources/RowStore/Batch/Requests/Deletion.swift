import GraphModel
import SQLite

/// One batch delete: selects the objects to delete by the delete rules, and updates the remaining
/// objects.
///
/// For each hierarchy, a temporary table contains the objects to delete (`ETL_DOOMED_<n>`). Another
/// one contains the objects that a rule keeps, with the index of its edge (`ETL_KEPT_<n>`). If no
/// rule cascades or denies, the matching objects are deleted, and their table is used instead.
package struct Deletion {
    let session: WriteSession
    let connection: Connection
    private let limit: ObjectLimit?
    /// The relationships whose rules apply.
    let edges: [RelationshipEdge]
    /// All relationships; join rows of deleted objects are deleted in any case.
    private let allEdges: [RelationshipEdge]
    /// The relationships without an inverse whose links are cleared.
    let oneWayLinks: [OneWayLink]
    private var deletedIDs: ManagedObjectIDSet?
    /// The number of cascade levels that are found by scanning all objects to delete, without an
    /// index.
    private static let levelsWithoutIndex = 8
    /// The table of the matching objects, if exactly these are deleted.
    private var matched: String?
    /// Whether indexes and join tables that shrink much are rebuilt after the commit.
    private let defersIndexes: Bool

    /// Creates the deletion of a request.
    package init(_ session: WriteSession, _ request: BatchDeleteRequest) throws(StoreError) {
        self.session = session
        connection = session.connection
        limit = request.limit
        allEdges = RelationshipEdge.all(in: session.schema)
        edges = request.rules == .enforce ? allEdges : []
        oneWayLinks = request.rules == .enforce ? OneWayLink.all(in: session.schema) : []
        deletedIDs = request.resultType == .objectIDs ? ManagedObjectIDSet() : nil
        defersIndexes = request.defersIndexes ? try session.mayDeferIndexes() : false
    }

    /// Deletes the matching objects of an entity, and applies the relationships' rules.
    package mutating func run(_ match: BatchMatch, of entity: StoreLayout.Entity) throws
        -> BatchDeleteResult
    {
        let root = entity.rootNumber
        let rules = edges.filter { $0.sourceRoot == root }.map(\.rule)
        guard rules.contains(.cascade) || rules.contains(.deny) else {
            matched = match.table
            return try finish(match, [root], root, denials: [])
        }
        let reachable = reachableRoots(from: entity)
        for number in reachable {
            try connection.execute(
                """
                DROP TABLE IF EXISTS \(Self.kept(number));
                CREATE TABLE \(Self.kept(number)) (pk INTEGER PRIMARY KEY, edge INTEGER)
                """)
        }
        // A kept object is not deleted, which may protect other objects. Repeat until no new object
        // is kept.
        repeat {
            for number in reachable { try clearDoomed(number) }
            try connection.execute(
                "INSERT INTO \(doomed(root)) SELECT pk, ent, 0 FROM \(match.table)"
                    + " WHERE pk NOT IN (SELECT pk FROM \(Self.kept(root)))")
            try cascade(reachable, from: root)
        } while try keepDenied(reachable)
        try checkLimit(match, reachable)
        return try finish(match, reachable, root, denials: try denials(of: match, root))
    }

    /// Fails if cascades make the deletion larger than the limit.
    ///
    /// A percentage refers to the entity's objects, and `BatchMatch` checks it.
    private func checkLimit(_ match: BatchMatch, _ reachable: [Int64]) throws {
        guard case .count(let most)? = limit else { return }
        var count = 0
        for number in reachable {
            count += try connection.count("SELECT count(*) FROM \(doomed(number))")
        }
        guard count > most else { return }
        throw StoreError(
            .tooMany,
            "\(count) objects would be deleted, including the objects that delete rules add to"
                + " \(match.count.counting("match", "matches")), and at most \(most) may; nothing was"
                + " done")
    }

    /// Returns the matching objects that rules keep.
    private func denials(
        of match: BatchMatch, _ root: Int64
    ) throws(StoreError) -> [BatchDeleteResult.Denial] {
        let rows = try connection.prepare(
            "SELECT edge, count(*) FROM \(Self.kept(root))"
                + " WHERE pk IN (SELECT pk FROM \(match.table)) GROUP BY edge ORDER BY edge")
        var denials: [BatchDeleteResult.Denial] = []
        while try rows.step() {
            let edge = edges[Int(rows.integer(0))]
            denials.append(
                BatchDeleteResult.Denial(
                    entityName: edge.sourceName, relationshipName: edge.name,
                    count: Int(rows.integer(1))))
        }
        return denials
    }

    /// Deletes the selected objects, and updates the remaining ones.
    private mutating func finish(
        _ match: BatchMatch, _ reachable: [Int64], _ root: Int64,
        denials: [BatchDeleteResult.Denial]
    ) throws -> BatchDeleteResult {
        try rejectBrokenRequirements(reachable)
        try noteLinks(reachable)
        let nullified = try nullify(reachable)
        try deleteJoinRows(reachable)
        var cascaded: [String: Int] = [:]
        for number in reachable where matched == nil {
            try count(number, root, into: &cascaded)
        }
        for number in reachable { try deleteRows(number) }
        let denied = denials.reduce(0) { $0 + $1.count }
        return BatchDeleteResult(
            matched: match.count, deleted: match.count - denied, denied: denied, denials: denials,
            cascaded: cascaded, nullified: nullified, objectIDs: deletedIDs)
    }

    func doomed(_ root: Int64) -> String { matched ?? "temp.ETL_DOOMED_\(root)" }
    private static func kept(_ root: Int64) -> String { "temp.ETL_KEPT_\(root)" }

    /// Returns the hierarchies that cascades can reach from the entity.
    private func reachableRoots(from entity: StoreLayout.Entity) -> [Int64] {
        var found = [entity.rootNumber]
        var position = 0
        while position < found.count {
            for edge in edges where edge.rule == .cascade && edge.sourceRoot == found[position] {
                if !found.contains(edge.destinationRoot) { found.append(edge.destinationRoot) }
            }
            position += 1
        }
        return found
    }

    private func clearDoomed(_ root: Int64) throws(StoreError) {
        try connection.execute(
            """
            DROP TABLE IF EXISTS \(doomed(root));
            CREATE TABLE \(doomed(root)) (pk INTEGER PRIMARY KEY, ent INTEGER, level INTEGER)
            """)
    }

    // MARK: Selecting the objects

    private func cascade(_ reachable: [Int64], from root: Int64) throws(StoreError) {
        let cascades = edges.filter { $0.rule == .cascade && reachable.contains($0.sourceRoot) }
        var level = 0
        // The hierarchies with objects in the current level.
        var grown: Set = [root]
        while !grown.isEmpty {
            if level == Self.levelsWithoutIndex { try indexLevels(reachable) }
            var growing: Set<Int64> = []
            for edge in cascades where grown.contains(edge.sourceRoot) {
                let owners = edge.owners(
                    in: doomed(edge.sourceRoot), and: "level = \(level)")
                let added = try SQLFragment(
                    "INSERT OR IGNORE INTO \(doomed(edge.destinationRoot))"
                        + " SELECT dest, ent, \(level + 1) FROM (\(edge.related(to: owners)))"
                ).run(on: connection)
                if added > 0 { growing.insert(edge.destinationRoot) }
            }
            grown = growing
            level += 1
        }
    }

    /// Creates an index to find each level without scanning the previous ones, which long chains
    /// need.
    ///
    /// For a few levels, a scan is cheaper than the index.
    private func indexLevels(_ reachable: [Int64]) throws(StoreError) {
        for number in reachable {
            try connection.execute(
                "CREATE INDEX temp.ETL_DOOMED_\(number)_LEVELS ON ETL_DOOMED_\(number) (level)")
        }
    }

    /// Marks the objects that a Deny rule keeps, and the objects whose cascades lead to them, with
    /// the edge of the rule.
    ///
    /// - Returns: Whether objects were newly marked.
    private func keepDenied(_ reachable: [Int64]) throws(StoreError) -> Bool {
        var grew = false
        for (number, edge) in edges.enumerated()
        where edge.rule == .deny && reachable.contains(edge.sourceRoot) {
            let owners = edge.owners(in: doomed(edge.sourceRoot))
            let stays =
                reachable.contains(edge.destinationRoot)
                ? " WHERE dest NOT IN (SELECT pk FROM \(doomed(edge.destinationRoot)))" : ""
            grew =
                try SQLFragment(
                    "INSERT OR IGNORE INTO \(Self.kept(edge.sourceRoot))"
                        + " SELECT DISTINCT owner, \(number) FROM (\(edge.related(to: owners)))\(stays)"
                ).run(on: connection) > 0 || grew
        }
        guard grew else { return false }
        let cascades = edges.filter { $0.rule == .cascade && reachable.contains($0.sourceRoot) }
        var spreads = !cascades.isEmpty
        while spreads {
            spreads = false
            for edge in cascades {
                let owners = edge.owners(in: doomed(edge.sourceRoot))
                let added = try SQLFragment(
                    "INSERT OR IGNORE INTO \(Self.kept(edge.sourceRoot))"
                        + " SELECT owner, min(edge) FROM (\(edge.related(to: owners)))"
                        + " JOIN \(Self.kept(edge.destinationRoot)) ON pk = dest GROUP BY owner"
                ).run(on: connection)
                if added > 0 { spreads = true }
            }
        }
        return true
    }

    // MARK: Updating the remaining objects

    /// Returns a condition for rows of a hierarchy that are not deleted; empty if none is.
    func staying(_ root: Int64, _ reachable: [Int64], key: String = "Z_PK") -> String {
        reachable.contains(root) ? " AND \(key) NOT IN (SELECT pk FROM \(doomed(root)))" : ""
    }

    /// Returns a condition for the rows whose link without an inverse leads to a deleted object.
    func leadingNowhere(_ link: OneWayLink, _ reachable: [Int64]) -> String {
        "\(link.columns[0]) IN (SELECT pk FROM \(doomed(link.destinationRoot)))"
            + staying(link.root, reachable)
    }

    func pointingBack(_ edge: RelationshipEdge, _ reachable: [Int64]) -> String? {
        edge.pointingBack(to: edge.owners(in: doomed(edge.sourceRoot))).map {
            $0 + staying(edge.destinationRoot, reachable)
        }
    }

    private func nullify(_ reachable: [Int64]) throws(StoreError) -> Int {
        var total = 0
        for edge in edges where edge.rule == .nullify && reachable.contains(edge.sourceRoot) {
            guard let condition = pointingBack(edge, reachable) else { continue }
            // Without an inverse, the objects have no property that changes.
            total += try clear(
                edge.backColumns, of: edge.destinationTable, property: edge.inverseName,
                where: condition)
        }
        for link in oneWayLinks where reachable.contains(link.destinationRoot) {
            total += try clear(
                link.columns, of: link.table, property: link.name,
                where: leadingNowhere(link, reachable))
        }
        return total
    }

    /// Clears columns of the rows that match a condition, and records the change of the property.
    ///
    /// - Returns: The number of rows.
    private func clear(
        _ columns: [String], of table: String, property: String?, where condition: String
    ) throws(StoreError) -> Int {
        var sets = columns.map { "\($0) = NULL" }
        if let property {
            let rows = try connection.prepare(
                "SELECT Z_ENT, Z_PK FROM \(table) WHERE \(condition)")
            // The rows come in the order of their targets.
            var notes = BatchUpdateNotes([property])
            while try rows.step() { notes.add(rows.integer(1), entity: rows.integer(0)) }
            guard notes.someKey != nil else { return 0 }
            if let version = try session.versionAssignment(of: notes.objects) {
                sets.append(version)
            }
            notes.emit(session)
        }
        guard !sets.isEmpty else { return 0 }
        return try SQLFragment(
            "UPDATE \(table) SET \(sets.joined(separator: ", ")) WHERE \(condition)"
        ).run(on: connection)
    }

    /// Notes the objects that lose a link which is not stored in their own rows.
    private func noteLinks(_ reachable: [Int64]) throws(StoreError) {
        for edge in allEdges where reachable.contains(edge.sourceRoot) {
            guard let inverse = session.schema.linkEnd(edge.inverseName, of: edge.destinationName)
            else { continue }
            let links: (table: String, owner: String, destination: String)
            if let join = edge.join {
                links = (join.pairs, join.ownerColumn, join.destinationColumn)
            } else if let column = edge.columnOfManyToOne, edge.rule != .noAction,
                edges.count == allEdges.count
            {
                links = (edge.sourceTable, "Z_PK", column)
            } else {
                continue
            }
            let owners = edge.owners(in: doomed(edge.sourceRoot))
            let isReflexive = edge.join?.isReflexive ?? false
            let isShort = isReflexive ? false : try leadsToFew(edge)
            let keys =
                isShort
                // The unary plus prevents SQLite from reading all deleted objects for each
                // destination.
                ? "SELECT d.Z_PK FROM \(edge.destinationTable) d WHERE EXISTS (SELECT 1 FROM"
                    + " \(links.table) l WHERE l.\(links.destination) = d.Z_PK"
                    + " AND +l.\(links.owner) IN (\(owners)))"
                : "SELECT \(links.destination) FROM \(links.table)"
                    + " WHERE \(links.owner) IN (\(owners))"
            try session.noteLinks(inverse, keys: SQLFragment(keys))
        }
    }

    /// Returns whether many of the objects are deleted and lead to few others.
    ///
    /// Checking each destination is then cheaper than checking each deleted object.
    private func leadsToFew(_ edge: RelationshipEdge) throws(StoreError) -> Bool {
        let going = try connection.count("SELECT count(*) FROM \(doomed(edge.sourceRoot))")
        // The largest key is an upper bound for the number of rows.
        let all = try connection.largestKey(in: edge.sourceTable)
        let destinations = try connection.largestKey(in: edge.destinationTable)
        return going >= all / 16 && going / 16 >= destinations
    }

    private func deleteJoinRows(_ reachable: [Int64]) throws(StoreError) {
        for edge in allEdges where reachable.contains(edge.sourceRoot) {
            guard let join = edge.join else { continue }
            let owners = edge.owners(in: doomed(edge.sourceRoot))
            if try deferJoinRows(of: join, edge, owners, reachable) { continue }
            let ends =
                join.isReflexive ? [join.ownerColumn, join.destinationColumn] : [join.ownerColumn]
            for column in ends {
                try connection.execute(
                    "DELETE FROM \(join.table) WHERE \(column) IN (\(owners))")
            }
        }
    }

    /// Defers the remaining rows of a join table, if it shrinks much.
    ///
    /// - Returns: False if the rows must be deleted one by one.
    private func deferJoinRows(
        of join: StoreLayout.Join, _ edge: RelationshipEdge, _ owners: String,
        _ reachable: [Int64]
    ) throws(StoreError) -> Bool {
        guard defersIndexes, !join.isReflexive,
            let table = session.schema.joinTables.first(where: { $0.name == join.table }),
            table.orderColumns.isEmpty,
            // Deferred rows are not found by the deletion of the other end's objects.
            allEdges.count(where: {
                $0.join?.table == join.table && reachable.contains($0.sourceRoot)
            }) == 1
        else { return false }
        let count = try connection.count("SELECT count(*) FROM \(doomed(edge.sourceRoot))")
        guard try connection.shrinksMuch(edge.sourceTable, deleting: count),
            // Triggers must not run for the rows that stay.
            try !connection.hasTriggers(on: table.name),
            try connection.hasNoOtherIndexes(than: [table.reverseIndex.name], on: table.name)
        else { return false }
        try PendingIndexes.deferIndexes([table.reverseIndex], on: connection)
        try DeferredJoinRows(table, ownerColumn: join.ownerColumn)
            .takeRows(notOf: owners, on: connection)
        return true
    }

    // MARK: Deleting the rows

    private func count(
        _ root: Int64, _ matchedRoot: Int64, into cascaded: inout [String: Int]
    ) throws(StoreError) {
        let matched =
            root == matchedRoot ? " WHERE pk NOT IN (SELECT pk FROM temp.ETL_MATCHED)" : ""
        let rows = try connection.prepare(
            "SELECT ent, count(*) FROM \(doomed(root))\(matched) GROUP BY ent")
        while try rows.step() {
            let name = session.schema.entity(number: rows.integer(0))?.name ?? "?"
            cascaded[name, default: 0] += Int(rows.integer(1))
        }
    }

    private mutating func deleteRows(_ root: Int64) throws(StoreError) {
        guard let entity = session.schema.entity(number: root) else { return }
        try session.history?.willDelete(
            rowsOf: entity.table, keys: "SELECT pk FROM \(doomed(root))")
        let rows = try connection.prepare("SELECT ent, pk FROM \(doomed(root)) ORDER BY pk")
        var going = ManagedObjectIDSet()
        var count = 0
        while try rows.step() {
            count += 1
            going.insert(
                ManagedObjectID(entityNumber: rows.integer(0), primaryKey: rows.integer(1)))
        }
        session.change.delete(going)
        deletedIDs?.formUnion(going)
        try session.releaseFiles(of: entity, rows: "SELECT pk FROM \(doomed(root))")
        let delete = "DELETE FROM \(entity.table) WHERE Z_PK IN (SELECT pk FROM \(doomed(root)))"
        let indexes = session.schema.indexes(ofTable: entity.table)
        if defersIndexes, try connection.shrinksMuch(entity.table, deleting: count),
            try connection.hasNoOtherIndexes(than: indexes.map(\.name), on: entity.table)
        {
            try PendingIndexes.deferIndexes(indexes, on: connection)
            return try connection.execute(delete)
        }
        try connection.withIndexesDropped(of: entity.table, deleting: count) {
            () throws(StoreError) in try connection.execute(delete)
        }
    }
}
