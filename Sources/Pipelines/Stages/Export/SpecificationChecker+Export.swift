import Diagnostics
import GraphModel
import GraphStore

/// Export stages: key paths over relationships.
extension SpecificationChecker {
    mutating func checkExport(_ spec: ExportSpec) {
        guard let entity = entity(spec.entity) else { return }
        let check = PropertyPathCheck(model: model)
        for field in spec.fields ?? [] {
            let steps = field.text.keyPath
            report(
                check.problem(in: steps, of: entity.name, as: .field),
                at: field.location)
        }
        if spec.shape == .nested { checkNestedFields(spec, entity) }
        for term in spec.order {
            report(
                check.problem(in: term.key.keyPath, of: entity.name, as: .order),
                at: term.location)
        }
    }

    /// The items of a to-many are written by one field.
    private mutating func checkNestedFields(_ spec: ExportSpec, _ entity: EntityDescription) {
        var named: Set<String> = []
        for field in spec.fields ?? [] {
            let first = field.text.keyPath.first ?? ""
            guard model.relationship(first, of: entity.name)?.isToMany == true,
                !named.insert(first).inserted
            else { continue }
            error(
                "rule", "Another field gives the objects of '\(first)' already", field.location,
                fix: "with `shape: nested` name one field of them")
        }
    }

    private mutating func report(
        _ problem: PropertyPathCheck.Problem?, at location: SourceLocation
    ) {
        guard let problem else { return }
        error(problem.code, problem.message, location, fix: problem.fix)
    }
}
