import Diagnostics
import GraphModel
import GraphStore

/// Export stages: key paths over relationships.
extension SpecificationChecker {
    mutating func checkExport(_ spec: ExportSpec) {
        guard let entity = entity(spec.entity) else { return }
        let check = PropertyPathCheck(model: model)
        for field in spec.fields ?? [] {
            let steps = field.text.split(separator: ".", omittingEmptySubsequences: false)
            report(
                check.problem(in: steps.map(String.init), of: entity.name, as: .field),
                at: field.location)
        }
        for term in spec.order {
            report(
                check.problem(in: term.key.keyPath, of: entity.name, as: .order),
                at: term.location)
        }
    }

    private mutating func report(
        _ problem: PropertyPathCheck.Problem?, at location: SourceLocation
    ) {
        guard let problem else { return }
        error(problem.code, problem.message, location, fix: problem.fix)
    }
}
