import Diagnostics
import GraphStore

/// What is wrong with the store of which a new one is to be a copy, `store.open: { template: FILE }`.
struct TemplateProblem {
    private static let code = "store.template"

    /// There is no such file, which may still come.
    let isMissing: Bool
    let diagnostic: Diagnostic

    /// Nil for what is no matter of the template.
    init?(_ error: StoreError, _ template: String) {
        switch error.code {
        case .missing:
            isMissing = true
            diagnostic = Diagnostic(
                code: Self.code,
                "The template \(template) does not exist, of which the store is to be a copy",
                fix: "check `store.open`; a relative path starts at the spec's folder")
        case .notAStore, .encoding, .corrupt:
            isMissing = false
            diagnostic = Diagnostic(
                code: Self.code, "The template cannot be copied: \(error.message)",
                fix: "name a store under `store.open`, such as an app's empty one")
        default: return nil
        }
    }

    /// What can be said before a run, without a change to any file.
    ///
    /// A template that is missing is an error of the run that needs it; what is no store is a
    /// mistake of the spec, which does no harm as long as the store itself is there.
    static func check(_ store: StoreSpec, _ values: ParameterValues) -> [Diagnostic] {
        guard let file = store.template, values.canResolve(file) else { return [] }
        let path = values.path(file)
        do throws(StoreError) {
            try PersistentContainer.checkTemplate(at: path)
            return []
        } catch {
            guard let problem = TemplateProblem(error, path) else { return [] }
            let isNeeded =
                !values.canResolve(store.at)
                || FileDescriptor.size(values.path(store.at)) ?? 0 == 0
            var diagnostic = problem.diagnostic
            diagnostic.place = .source(file.location)
            if problem.isMissing || !isNeeded { diagnostic.severity = .warning }
            return [diagnostic]
        }
    }
}

extension RunFailure {
    /// A run that needs the template ends as for another missing input, or a mistake of the spec.
    init(_ problem: TemplateProblem) {
        self.init(problem.isMissing ? .noInput : .configuration, [problem.diagnostic])
    }
}
