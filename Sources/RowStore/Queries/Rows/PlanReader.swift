import Diagnostics
import GraphModel

/// Translates SQLite's query plan of a statement into sentences.
///
/// SQLite reports `SEARCH t USING INDEX Z_Task_byPriority (ZPRIORITY>?)`. GraphStore chooses the
/// aliases and columns, so each line can be translated (https://www.sqlite.org/eqp.html).
struct PlanReader {
    /// A line of the query plan.
    struct Step {
        var id: Int64
        var parent: Int64
        var detail: String
    }

    let entity: StoreLayout.Entity
    let predicate: GraphPredicate?
    let order: [GraphSortDescriptor]
    let sources: [String: SQLSource]
    let objectCount: Int
    let steps: [Step]
    /// The indexes of the entity's table.
    let indexes: [StoreLayout.Index]

    /// The query plan, with inner steps indented.
    var lines: [String] {
        steps.map { String(repeating: "  ", count: depth(of: $0)) + $0.detail }
    }

    private func depth(of step: Step) -> Int {
        var depth = 0
        var parent = step.parent
        while let outer = steps.first(where: { $0.id == parent }) {
            depth += 1
            parent = outer.parent
        }
        return depth
    }

    /// Whether the statement scans the complete table of the request.
    var scansAll: Bool {
        steps.contains { $0.detail == "SCAN t" || $0.detail.hasPrefix("SCAN t ") }
    }

    private var sortsAll: Bool {
        steps.contains { $0.parent == 0 && $0.detail == "USE TEMP B-TREE FOR ORDER BY" }
    }

    // MARK: Sentences

    var sentences: [String] {
        steps.compactMap { step in
            sentence(step.detail).map { context(of: step) + $0 }
        }
    }

    /// Returns the prefix for a step that runs once, or once for each object.
    private func context(of step: Step) -> String {
        var parent = step.parent
        while let outer = steps.first(where: { $0.id == parent }) {
            if outer.detail.hasPrefix("CORRELATED") { return "for each \(entity.name) " }
            if outer.detail.hasPrefix("LIST SUBQUERY") || outer.detail.hasPrefix("SCALAR SUBQUERY")
            {
                return "once, "
            }
            parent = outer.parent
        }
        return ""
    }

    private func sentence(_ detail: String) -> String? {
        let words = detail.split(separator: " ").map(String.init)
        // Omit the steps for strings that are not folded yet; usually there are none.
        if words.count > 1, words[1].hasPrefix("ETL_UNFOLDED_") || words[1] == FoldedTexts.textAlias
        {
            return nil
        }
        switch words.first {
        case "SCAN"? where words.count > 1: return scan(words)
        case "SEARCH"? where words.count > 1: return search(words, detail)
        case "USE"?:
            if detail.hasSuffix("ORDER BY") {
                // `RIGHT PART OF ORDER BY`, or `LAST 2 TERMS OF ORDER BY` in newer versions.
                return detail.hasSuffix("OF ORDER BY")
                    ? "sorts what ties in the index's order"
                    : "sorts the result because no index gives that order"
            }
            if detail.hasSuffix("GROUP BY") { return "gathers what belongs together by sorting" }
            return detail.hasSuffix("DISTINCT") || detail.hasSuffix("DISTINCT)")
                ? "removes duplicates" : nil
        case "MULTI-INDEX"?: return "searches once for each part of the OR"
        default: return nil
        }
    }

    private func scan(_ words: [String]) -> String {
        let index = words.firstIndex(of: "INDEX").map { words[$0 + 1] }
        if words[1] == "t" {
            let all = "all \(objectCount.grouped) \(entity.name) objects"
            return index.map { "walks through \(all) in the order of index \($0)" }
                ?? "scans \(all)"
        }
        let what = name(of: words[1])
        return index.map { "walks through \(what) in the order of index \($0)" }
            ?? "scans \(what)"
    }

    private func search(_ words: [String], _ detail: String) -> String {
        let terms = detail.firstIndex(of: "(").map { detail[$0...].dropFirst().dropLast() } ?? ""
        let index = words.firstIndex(of: "INDEX").map { words[$0 + 1] }
        if words[1] == "t" {
            guard let index else {
                return terms.contains("rowid=?")
                    ? "finds \(entity.name) objects by their keys"
                    : "goes through a part of the \(entity.name) objects in the order of keys"
            }
            return "uses index \(index) for \(conditions(terms))"
        }
        guard let index else { return "looks up \(name(of: words[1])) by its key" }
        return "looks up \(name(of: words[1])) by index \(index)"
    }

    /// Returns the conditions that an index's terms serve: `ZPRIORITY>?` is `priority >= 1`.
    private func conditions(_ terms: Substring) -> String {
        var found: [String] = []
        for column in terms.split(separator: " ").filter({ $0 != "AND" }) {
            let name = column.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            guard let words = words(forColumn: String(name)) else { continue }
            if !found.contains(words) { found.append(words) }
        }
        return found.isEmpty ? String(terms) : found.joined(separator: " AND ")
    }

    private func words(forColumn column: String) -> String? {
        if column == "Z_ENT" { return "the entity" }
        let name =
            entity.attributes.first { $0.value.column == column }?.key
            ?? entity.toOnes.first { $0.value.column == column }?.key
        guard let name else { return nil }
        guard let comparison = topComparisons.first(where: { $0.uses(name) }) else {
            return name
        }
        // Show an element's path, which is one key internally, as separate keys.
        return GraphPredicate.comparison(comparison).replacingLeaves { leaf in
            guard case .keyPath(let path) = leaf else { return nil }
            return .keyPath(path.flatMap(\.keyPath))
        }.description
    }

    private func name(of alias: String) -> String {
        if alias.hasPrefix("ETL_FOLD_") { return "the folded texts in \(alias)" }
        guard let source = sources[alias] else { return "a list of values" }
        let path = source.path.joined(separator: ".")
        if source.isLink { return "the links of \(path)" }
        return path.isEmpty ? "\(source.entity) objects" : "\(path) (\(source.entity))"
    }

    // MARK: Suggestions

    /// The top-level comparisons, all of which must hold.
    private var topComparisons: [GraphComparison] {
        func comparisons(_ predicate: GraphPredicate) -> [GraphComparison] {
            switch predicate {
            case .comparison(let comparison): [comparison]
            case .and(let parts): parts.flatMap(comparisons)
            default: []
            }
        }
        return predicate.map(comparisons) ?? []
    }

    var suggestions: [String] {
        var found: [String] = []
        if scansAll {
            var equal: [String] = []
            var ranges: [String] = []
            for comparison in topComparisons {
                guard let (name, isEquality) = comparison.servable, isIndexable(name) else {
                    continue
                }
                if isEquality, !equal.contains(name) { equal.append(name) }
                if !isEquality, !ranges.contains(name) { ranges.append(name) }
            }
            let names = equal + ranges.filter { !equal.contains($0) }.prefix(1)
            if !names.isEmpty {
                found.append(other(than: names) ?? suggestion(names, "serve it"))
            }
            for name in topComparisons.compactMap(\.searchable) where mayBeSearchable(name) {
                let words = "`searchable: true` on \(entity.name).\(name) would serve it"
                if !found.contains(words) { found.append(words) }
            }
        }
        if sortsAll, scansAll, order.count == 1, let key = order.first,
            key.textOrder == .binary, key.keyPath.count == 1, isIndexable(key.keyPath[0])
        {
            found.append(suggestion(key.keyPath, "give the order"))
        }
        return found
    }

    /// Returns a hint about an existing index that SQLite did not choose; `nil` if there is none.
    private func other(than names: [String]) -> String? {
        let columns = names.compactMap { entity.attributes[$0]?.column }
        let index = indexes.first { index in
            let own = index.columns.map { String($0.prefix { $0 != " " }) }
                .filter { $0 != "Z_ENT" }
            return index.condition == nil && own.starts(with: columns)
        }
        return index.map {
            "an order by \(names.joined(separator: ", ")) would use index \($0.name), which is "
                + "there; in this order what it finds would have to be sorted"
        }
    }

    private func isIndexable(_ name: String) -> Bool {
        entity.attributes[name].map { SQLType($0.attribute) != .opaque } == true
    }

    private func mayBeSearchable(_ name: String) -> Bool {
        entity.attributes[name].map {
            SQLType($0.attribute) == .text && !$0.attribute.isSearchable
        } == true
    }

    private func suggestion(_ names: [String], _ verb: String) -> String {
        names.count == 1
            ? "an index on \(entity.name).\(names[0]) would \(verb)"
            : "an index on \(entity.name) (\(names.joined(separator: ", "))) would \(verb)"
    }
}

extension GraphComparison {
    fileprivate func uses(_ name: String) -> Bool {
        left == .keyPath([name]) || right == .keyPath([name])
    }

    /// The attribute whose folded strings could serve the comparison.
    fileprivate var searchable: String? {
        guard modifier == .direct, options.contains(.caseInsensitive), op != .matches,
            case .keyPath(let path) = left, path.count == 1
        else { return nil }
        switch right {
        case .constant, .aggregate: return path[0]
        default: return nil
        }
    }

    /// The attribute whose index could serve the comparison, and whether for equality.
    fileprivate var servable: (name: String, isEquality: Bool)? {
        guard modifier == .direct,
            options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
        else { return nil }
        let name: String
        switch (left, right) {
        case (.keyPath(let path), .constant), (.keyPath(let path), .aggregate):
            guard path.count == 1 else { return nil }
            name = path[0]
        case (.constant, .keyPath(let path)):
            guard path.count == 1, op != .in else { return nil }
            name = path[0]
        default: return nil
        }
        switch op {
        case .equal, .in: return (name, true)
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith:
            return (name, false)
        case .like:
            guard case .constant(.string(let pattern)) = right, let first = pattern.first,
                first != "*", first != "?"
            else { return nil }
            return (name, false)
        default: return nil
        }
    }
}
