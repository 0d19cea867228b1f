import Diagnostics
import GraphModel

/// The variables of a query's predicate, from `name=value` and the clock.
///
/// Their types are not declared, so each value gets the type that makes the predicate valid. In
/// `priority > $n`, the text `5` is a number. In `title == $t`, it is text. In `dueOn < $d`, the
/// text `today - 7d` is a date.
struct QueryVariables {
    /// The number of variables above which combinations of possible types are not tried.
    ///
    /// Each value then has its first reading.
    private static let triedMax = 6

    /// The values of a predicate's variables.
    struct Values {
        var single: [String: GraphValue]
        var lists: [String: any GraphPredicateArgument] = [:]
    }

    private let texts: [(name: String, values: [String])]
    private let now: Double

    /// Parses the `--set` flags of a query.
    ///
    /// - Throws: `QueryMistake` if a text is not `name=value`.
    init(_ sets: [String], now: Double) throws(QueryMistake) {
        var texts: [String: [String]] = [:]
        for set in sets {
            guard let assignment = Assignment(set) else {
                throw QueryMistake(.set, code: "query.set", "A name=value is needed, not '\(set)'")
            }
            texts[assignment.name, default: []].append(assignment.value)
        }
        self.texts = texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.now = now
    }

    /// Returns the values with which the predicate is valid for the entity.
    ///
    /// - Throws: the `GraphPredicateError` of the first reading, or `QueryMistake` for a name that
    ///   the predicate does not use.
    func bind(
        _ predicate: ParsedPredicate?, entityName: String, in model: ManagedObjectModel
    ) throws -> Values {
        try checkNames(predicate)
        guard let predicate else { return Values(single: [:]) }
        let lists = predicate.predicate.listVariables
        var first: GraphPredicateError?
        var choice = Array(repeating: 0, count: texts.count)
        // Several values are a list, and a value to the right of IN is one, too.
        let readings = texts.map { text in
            self.readings(
                of: text.values, asList: text.values.count > 1 || lists.contains(text.name))
        }
        repeat {
            var values = Values(single: clock)
            for (position, text) in texts.enumerated() {
                let reading = readings[position][choice[position]]
                if let value = reading as? GraphValue {
                    values.single[text.name] = value
                } else {
                    values.lists[text.name] = reading
                }
            }
            do throws(GraphPredicateError) {
                _ = try predicate.resolved(
                    for: entityName, in: model,
                    variables: values.lists.merging(values.single) { $1 })
                return values
            } catch {
                // Another reading can only fix a type error.
                guard error.code == .type else { throw first ?? error }
                first = first ?? error
            }
        } while texts.count <= Self.triedMax && Self.advance(&choice, readings.map(\.count))
        throw first ?? QueryMistake(.set, code: "query.set", "The variables have no values")
    }

    private func checkNames(_ predicate: ParsedPredicate?) throws(QueryMistake) {
        let used = predicate?.predicate.variables ?? []
        for text in texts where !used.contains(text.name) {
            throw QueryMistake(
                .set, code: "query.unused-variable",
                "The predicate has no variable '$\(text.name)'"
                    + Suggestion.phrase(for: text.name, among: used))
        }
    }

    private var clock: [String: GraphValue] {
        [
            "now": .date(secondsSinceReference: now),
            "today": .date(secondsSinceReference: (now / 86_400).rounded(.down) * 86_400),
        ]
    }

    private func readings(of texts: [String], asList: Bool) -> [any GraphPredicateArgument] {
        guard asList else { return readings(of: texts[0]) }
        let all = texts.map { readings(of: $0) }
        // All items of a list have the same type.
        return (0..<(all.map(\.count).min() ?? 0)).map { place in
            GraphExpression.aggregate(all.map { .constant($0[place]) })
        }
    }

    /// Returns the values that a text can mean, such as a number or a date.
    ///
    /// The text itself comes first. It also becomes a date, a UUID, or bytes if compared with one.
    private func readings(of text: String) -> [GraphValue] {
        var readings: [GraphValue] = [.string(text)]
        if let integer = Int64(text) {
            readings.append(.integer(integer))
        } else if let number = Double(text), number.isFinite {
            readings.append(.double(number))
        }
        switch text.lowercased() {
        case "true", "yes", "1": readings.append(.boolean(true))
        case "false", "no", "0": readings.append(.boolean(false))
        case "nil", "null": readings.append(.null)
        default: break
        }
        if let date = TimeText.date(text, now: now) {
            readings.append(.date(secondsSinceReference: date))
        }
        return readings
    }

    /// Advances to the next combination of readings; returns `false` after the last one.
    private static func advance(_ choice: inout [Int], _ counts: [Int]) -> Bool {
        for position in choice.indices.reversed() {
            choice[position] += 1
            if choice[position] < counts[position] { return true }
            choice[position] = 0
        }
        return false
    }
}

extension GraphPredicate {
    /// The variables to the right of an IN.
    fileprivate var listVariables: Set<String> {
        Set(
            comparisons.compactMap { comparison in
                guard comparison.op == .in, case .variable(let name, []) = comparison.right else {
                    return nil
                }
                return name
            })
    }
}
