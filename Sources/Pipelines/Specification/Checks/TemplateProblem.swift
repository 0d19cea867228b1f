import Diagnostics
import GraphStore

/// A problem with the template of a new store, `store.open: { template: FILE }`.
struct TemplateProblem {
    private static let code = "store.template"

    /// Whether the file is missing; it may be created before the run.
    let isMissing: Bool
    let diagnostic: Diagnostic

    /// Creates the problem, or returns `nil` if the error is unrelated to the template.
    init?(_ error: StoreError, _ template: String) {
        switch error.code {
        case .missing:
            isMissing = true
            diagnostic = Diagnostic(
                code: Self.code,
                "The template \(template) does not exist, so the store cannot be created from it",
                fix: "check `store.open`; a relative path starts at the spec's folder")
        case .notAStore, .encoding, .corrupt:
            isMissing = false
            diagnostic = Diagnostic(
                code: Self.code, "The template cannot be copied: \(error.message)",
                fix: "name a store under `store.open`, such as an app's empty one")
        default: return nil
        }
    }

    /// Returns the problems that can be found before a run, without changing any file.
    ///
    /// A missing template is an error only of the run that needs it, so it is a warning here. A
    /// file that is not a store is an error of the spec, and a warning if the store itself exists.
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
    /// Creates the failure of a run that needs the template: a missing input, or an error of the
    /// spec.
    init(_ problem: TemplateProblem) {
        self.init(problem.isMissing ? .noInput : .configuration, [problem.diagnostic])
    }
}
