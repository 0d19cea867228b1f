import Diagnostics
import GraphModel

/// What a run is about, and whether its spec fits the model.
extension PipelineRun {
    /// What the stages of a run share, besides the container.
    struct Job {
        var spec: PipelineSpec
        var values: ParameterValues
        var model: ManagedObjectModel?
        var target: StoreTarget
        /// The stages that are to run, in their order.
        var stages: [Stage]
        var note: RunNote

        /// How notes name files.
        var paths: NotedPaths { NotedPaths(spec, values) }
    }

    /// The checks that need the model, which may have been out of reach until now.
    static func check(_ spec: PipelineSpec, against model: ManagedObjectModel) throws {
        try refuse(SpecificationChecker.check(spec, model) + ExpressionChecker.check(spec, model))
    }

    static func refuse(_ found: [Diagnostic]) throws {
        let errors = found.filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw RunFailure(problems: DiagnosticList(errors).diagnostics)
        }
    }
}
