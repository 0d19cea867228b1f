import GraphStore

/// A relationship with its inverse, as pairs of keys.
struct LinkRelation {
    /// The link that names the second key of a pair, and the link that names the first, if it
    /// exists.
    var first: String
    var second: String?
    var firstHasOne = false
    var secondHasOne = false
    var isSymmetric = false
    /// The queries that return the pairs of the store.
    var sql: [String]

    /// Returns the queries for a store that lacks some columns, such as `ZNODE.ZONE`.
    func sql(without dropped: [String]) -> [String] {
        let columns = dropped.compactMap { $0.split(separator: ".").last }
        return sql.filter { sql in
            !columns.contains { sql.contains("a.\($0) ") || sql.contains("b.\($0) ") }
        }
    }

    static let all = [
        LinkRelation(
            first: "one", second: "oneOf", firstHasOne: true, secondHasOne: true,
            sql: [toOne("ZONE"), back("ZONEOF", "ZNODE", "ZID")]),
        LinkRelation(
            first: "mate", firstHasOne: true, secondHasOne: true, isSymmetric: true,
            sql: [toOne("ZMATE")]),
        LinkRelation(first: "up", second: "downs", firstHasOne: true, sql: [toOne("ZUP")]),
        LinkRelation(
            first: "peers", isSymmetric: true, sql: [pairs("PEERS", "Z_3PEERS", "REFLEXIVE")]),
        LinkRelation(first: "fans", second: "idols", sql: [pairs("IDOLS", "Z_3IDOLS", "Z_3FANS")]),
        LinkRelation(
            first: "tags",
            sql: [
                "SELECT a.ZID, b.ZNAME FROM Z_3TAGS JOIN ZNODE a ON a.Z_PK = Z_3NODES"
                    + " JOIN ZTAG b ON b.Z_PK = Z_4TAGS ORDER BY 1, 2"
            ]),
        LinkRelation(
            first: "car", firstHasOne: true, secondHasOne: true,
            sql: [toOne("ZCAR", "ZCAR", "ZPLATE"), back("ZDRIVER", "ZCAR", "ZPLATE")]),
        LinkRelation(first: "boxes", secondHasOne: true, sql: [back("ZHOLDER", "ZBOX", "ZLABEL")]),
    ]

    private static func toOne(
        _ column: String, _ table: String = "ZNODE", _ key: String = "ZID"
    ) -> String {
        "SELECT a.ZID, b.\(key) FROM ZNODE a JOIN \(table) b ON b.Z_PK = a.\(column) ORDER BY 1, 2"
    }

    private static func back(_ column: String, _ table: String, _ key: String) -> String {
        "SELECT a.ZID, b.\(key) FROM \(table) b JOIN ZNODE a ON a.Z_PK = b.\(column) ORDER BY 1, 2"
    }

    private static func pairs(_ table: String, _ first: String, _ second: String) -> String {
        "SELECT a.ZID, b.ZID FROM Z_3\(table) JOIN ZNODE a ON a.Z_PK = \(first)"
            + " JOIN ZNODE b ON b.Z_PK = \(second) ORDER BY 1, 2"
    }
}

/// The rule in its simplest form: creates all objects, then sets the links of one record at a time.
struct LinkOracle {
    struct Pair: Hashable {
        var first: Int64
        var second: Int64
    }

    var nodes: [Int64: TestValue] = [:]
    var pairs: [String: Set<Pair>] = [:]
    var inserted = 0
    /// Records that were rejected or skipped.
    var refused = 0

    mutating func load(_ plan: BulkPlan, _ records: [[TestValue]]) {
        var accepted = records
        while true {
            let known = Set(nodes.keys).union(accepted.map { Self.keys($0[0])[0] })
            let next = accepted.filter { record in
                plan.links.enumerated().allSatisfy { place, link in
                    ![.reject, .skip].contains(link.missing)
                        || Self.keys(record[place + 2]).allSatisfy(known.contains)
                }
            }
            guard next.count < accepted.count else { break }
            accepted = next
        }
        refused = records.count - accepted.count
        let before = nodes.count
        for record in accepted {
            let key = Self.keys(record[0])[0]
            nodes[key] = record[1] == .absent ? nodes[key] ?? .null : record[1]
        }
        inserted = nodes.count - before
        for record in accepted {
            for (place, link) in plan.links.enumerated() where record[place + 2] != .absent {
                apply(link, Self.keys(record[0])[0], Self.keys(record[place + 2]))
            }
        }
    }

    static func keys(_ value: TestValue) -> [Int64] {
        switch value {
        case .integer(let key): [key]
        case .list(let values): values.flatMap(keys)
        default: []
        }
    }

    private mutating func apply(_ link: BulkPlan.Link, _ owner: Int64, _ named: [Int64]) {
        let named = named.filter { link.missing == .create || nodes[$0] != nil }
        for relation in LinkRelation.all {
            let isFirst = relation.first == link.relationship
            guard isFirst || relation.second == link.relationship else { continue }
            func pair(_ other: Int64) -> Pair {
                isFirst
                    ? Pair(first: owner, second: other) : Pair(first: other, second: owner)
            }
            let wanted = Set(named.map(pair))
            switch link.many {
            case .replace:
                remove(relation) { pair in
                    (isFirst ? pair.first : pair.second) == owner && !wanted.contains(pair)
                }
            case .remove:
                remove(relation) { wanted.contains($0) }
                continue
            case .add: break
            }
            for new in named.map(pair) {
                remove(relation) { old in
                    old != new
                        && (relation.firstHasOne && old.first == new.first
                            || relation.secondHasOne && old.second == new.second
                            || relation.isSymmetric && relation.firstHasOne
                                && (old.first == new.second && old.second != new.first))
                }
                pairs[relation.first, default: []].insert(new)
                guard relation.isSymmetric else { continue }
                pairs[relation.first, default: []].insert(
                    Pair(first: new.second, second: new.first))
            }
        }
    }

    private mutating func remove(_ relation: LinkRelation, where condition: (Pair) -> Bool) {
        for pair in pairs[relation.first] ?? [] where condition(pair) {
            pairs[relation.first]?.remove(pair)
            guard relation.isSymmetric else { continue }
            pairs[relation.first]?.remove(Pair(first: pair.second, second: pair.first))
        }
    }

    var lines: [String] { lines(without: []) }

    /// Returns the lines of a store that lacks some columns.
    func lines(without dropped: [String]) -> [String] {
        let nodes = nodes.sorted { $0.key < $1.key }.map { key, value in
            "\(key)|" + (Self.keys(value).first.map { "\($0)" } ?? "-")
        }
        return nodes
            + LinkRelation.all.flatMap { relation in
                let found = (pairs[relation.first] ?? []).sorted {
                    ($0.first, $0.second) < ($1.first, $1.second)
                }.map { "\(relation.first) \($0.first)|\($0.second)" }
                return relation.sql(without: dropped).flatMap { _ in found }
            }
    }
}
