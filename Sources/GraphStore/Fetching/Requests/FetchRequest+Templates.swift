public import GraphModel

extension ManagedObjectModel {
    /// Returns a fetch request of the model, with values for its `$VARIABLES`.
    ///
    /// - Parameters:
    ///   - name: the name of the template.
    ///   - variables: the values, lists, or objects by name, without the dollar sign.
    /// - Throws: `.invalidRequest` if the template does not exist, a variable has no value, or the
    ///   predicate does not fit the entity.
    public func fetchRequest(
        named name: String, substituting variables: [String: any GraphPredicateArgument] = [:]
    ) throws(StoreError) -> FetchRequest<ManagedObject> {
        guard let template = fetchRequestTemplate(named: name) else {
            throw StoreError(.invalidRequest, "The model has no fetch request '\(name)'")
        }
        return try template.request(in: self, substituting: variables)
    }
}

extension FetchRequestTemplate {
    /// Returns the parsed predicate of the template.
    func parsedPredicate() throws(StoreError) -> GraphPredicate? {
        guard let predicate, !predicate.isEmpty else { return nil }
        do {
            return try GraphPredicate(format: predicate)
        } catch {
            throw StoreError(.invalidRequest, "The fetch request '\(name)': " + error.rendered)
        }
    }

    func request(
        in model: ManagedObjectModel, substituting variables: [String: any GraphPredicateArgument]
    ) throws(StoreError) -> FetchRequest<ManagedObject> {
        var request = bare
        guard let parsed = try parsedPredicate() else { return request }
        do {
            let predicate = try parsed.substituting(variables: variables)
            // Report invalid predicates and missing variables now, not in the fetch.
            _ = try predicate.resolved(for: entityName, in: model)
            request.predicate = predicate
        } catch {
            throw StoreError(.invalidRequest, "The fetch request '\(name)': " + error.rendered)
        }
        return request
    }

    /// The request without its predicate.
    var bare: FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entityName)
        request.fetchLimit = fetchLimit ?? 0
        // Xcode's model files use these keys.
        if let text = extras["fetchBatchSize"], let size = Int(text), size > 0 {
            request.fetchBatchSize = size
        }
        if let flag = extras["includesSubentities"] ?? extras["includeSubentities"] {
            request.includesSubentities = flag != "NO"
        }
        if (extras["returnObjectsAsFaults"] ?? extras["returnsObjectsAsFaults"]) == "NO" {
            request.materialize = .rows
        }
        if extras["includesPropertyValues"] == "NO" { request.materialize = .ids }
        request.returnsDistinctResults = extras["returnsDistinctResults"] == "YES"
        return request
    }
}
