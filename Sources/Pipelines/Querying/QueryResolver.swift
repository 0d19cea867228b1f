import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore

/// Converts the texts of a query to a request that is valid for the store's model.
struct QueryResolver {
    let container: PersistentContainer
    let query: Query

    private var model: ManagedObjectModel { container.model }

    /// Returns the request, with the columns of `fields`.
    ///
    /// - Returns: also the shape of records with composites, which only JSON supports.
    /// - Throws: `QueryMistake` for an invalid query, `StoreError` for an error of the store.
    func request(
        forEntity name: String, as format: QueryFormat
    ) throws -> (request: RowRequest, shape: NestedShape?) {
        let entity = try entityName(name)
        let parsed = try predicate()
        let variables = try self.variables(of: parsed, entityName: entity)
        let named = try fields(ofEntity: entity) ?? defaultFields(ofEntity: entity, format)
        let shape =
            format == .ndjson
            ? NestedShape(unlessFlat: named, of: entity, container.schema) : nil
        let spelledOut = container.schema.spelledOut(
            named, of: entity, withToManys: format != .ndjson)
        let request = RowRequest(
            entityName: entity,
            predicate: try parsed?.predicate.substituting(variables: variables.lists),
            variables: variables.single,
            order: try order(ofEntity: entity),
            fields: shape?.fields
                ?? spelledOut.flatMap { model.elementPaths(at: $0, from: entity) },
            limit: query.limit, offset: query.offset)
        return (request, shape)
    }

    /// Returns the model's name of an entity, given that name or the one in the store.
    private func entityName(_ name: String) throws -> String {
        if model.entity(named: name) != nil { return name }
        if let found = try container.entityName(storedAs: name) { return found }
        let names = model.entities.map(\.name)
        throw QueryMistake(
            .entity, code: "query.unknown-entity",
            "The store has no entity '\(name)'" + Suggestion.phrase(for: name, among: names),
            fix: "`etl fetch STORE` lists the entities of a store")
    }

    // MARK: Predicate

    /// Warnings about a valid predicate: patterns in the syntax of SQL.
    var warnings: [Diagnostic] {
        // An invalid predicate is reported by the query itself.
        let patterns = (try? predicate())?.predicate.percentPatterns ?? []
        return patterns.map {
            Diagnostic(percentPattern: $0, at: .file(QueryMistake.Argument.predicate.rawValue))
        }
    }

    private func predicate() throws(QueryMistake) -> ParsedPredicate? {
        guard let text = query.predicate else { return nil }
        do {
            return try ParsedPredicate(format: text)
        } catch {
            throw QueryMistake(.predicate, error)
        }
    }

    private func variables(
        of predicate: ParsedPredicate?, entityName: String
    ) throws -> QueryVariables.Values {
        do {
            return try QueryVariables(query.sets, now: query.now.timeIntervalSinceReferenceDate)
                .bind(predicate, entityName: entityName, in: model)
        } catch let error as GraphPredicateError {
            throw QueryMistake(.predicate, error)
        }
    }

    // MARK: Order

    private func order(
        ofEntity entity: String
    ) throws(QueryMistake) -> [GraphSortDescriptor] {
        guard let text = query.order else { return [] }
        let parsed: ParsedSortOrder
        do {
            parsed = try ParsedSortOrder(format: text)
        } catch {
            throw QueryMistake(.order, error)
        }
        let check = PropertyPathCheck(model: model)
        for (key, offset) in zip(parsed.descriptors, parsed.offsets) {
            if let problem = check.problem(in: key.keyPath, of: entity, as: .order) {
                throw QueryMistake(.order, problem, in: text, at: offset)
            }
        }
        return parsed.descriptors
    }

    // MARK: Fields

    private func fields(ofEntity entity: String) throws(QueryMistake) -> [[String]]? {
        guard let text = query.fields else { return nil }
        let check = PropertyPathCheck(model: model)
        var fields: [[String]] = []
        var offset = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let blanks = part.prefix { $0 == " " }.utf8.count
            let name = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            let steps = String(name).keyPath
            let problem =
                fields.contains(steps)
                ? PropertyPathCheck.Problem(
                    code: "duplicate-field", message: "'\(String(name))' is already listed")
                : check.problem(in: steps, of: entity, as: .field)
            if let problem {
                throw QueryMistake(.fields, problem, in: text, at: offset + blanks)
            }
            fields.append(steps)
            offset += part.utf8.count + 1
        }
        return fields
    }

    private func defaultFields(
        ofEntity entity: String, _ format: QueryFormat
    ) -> [[String]] {
        guard format != .ndjson else { return container.schema.defaultMembers(of: entity) }
        let fields = container.schema.defaultFields(of: entity, withToManys: false)
        // A table uses the model's order, because its last columns may not fit.
        guard case .table = format else { return fields }
        let number = fields.filter { $0.count == 1 && model.isObjectNumber($0[0], of: entity) }
        let key = container.schema.linkKey(of: entity)
        let declared = number + key + model.attributes(of: entity).map { [$0.name] }
        let attributes = declared.filter { fields.contains($0) }
        let others = fields.filter { !attributes.contains($0) }
        var seen: Set<[String]> = []
        return (attributes + others).filter { seen.insert($0).inserted }
    }
}
