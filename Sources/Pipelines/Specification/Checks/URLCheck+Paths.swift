import Diagnostics

extension URLCheck {
    /// Returns the problems of the paths that are known.
    static func check(_ spec: PipelineSpec, _ values: ParameterValues) -> [Diagnostic] {
        let own = [spec.store.at, spec.rejects.folder, spec.report.folder]
        let outputs = [spec.report.metrics, spec.store.template].compactMap { $0 }
        let all = own + outputs + spec.stages.flatMap(\.kind.paths)
        return all.compactMap { path -> Diagnostic? in
            // The text before a parameter without a value may already contain the scheme.
            let text = values.canResolve(path) ? values.resolve(path) : path.text
            return diagnostic(
                text, at: .source(path.location), use(of: path, in: spec), in: values.specFolder)
        }
    }

    private static func use(of path: TemplateText, in spec: PipelineSpec) -> Use {
        for stage in spec.stages where stage.kind.paths.contains(path) {
            guard case .export(let format, true) = stage.kind.pathUse else {
                return stage.kind.pathUse
            }
            return .export(format, mayBeCommand: CommandCheck.delay(of: spec) == nil)
        }
        return [spec.report.folder, spec.rejects.folder].contains(path) ? .folder : .other
    }
}
