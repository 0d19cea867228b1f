import Diagnostics
import Files
import GraphStore
import RecordStreams

/// The files that a run uses and that no export or report may replace.
struct ProtectedFiles {
    private let files: [(name: String, path: FileName)]

    /// Collects the files.
    ///
    /// - Parameter values: The parameters; a file whose name contains a parameter without a value
    ///   is left out.
    init(_ spec: PipelineSpec, _ values: ParameterValues) {
        var files = [("the spec", FileName(spec.file))]
        if values.canResolve(spec.store.at), !spec.store.at.text.isEmpty {
            let given = values.path(spec.store.at)
            let store = PersistentContainer.file(resolving: given)
            if store != given { files.append(("the store", FileName(given))) }
            let companions = CompanionFile.allCases.map(\.rawValue)
            for suffix in [""] + CompanionFile.logEndings + companions {
                files.append(("the store", FileName(store + suffix)))
            }
        }
        if case .file(let model)? = spec.store.model, values.canResolve(model) {
            files.append(("the model", FileName(values.path(model))))
        }
        if let template = spec.store.template, values.canResolve(template) {
            files.append(("the store's template", FileName(values.path(template))))
        }
        for stage in spec.stages where stage.kind.pathUse == .input {
            for pattern in stage.kind.paths where values.canResolve(pattern) {
                let path = values.path(pattern)
                files += ([FileName(path)] + Self.inputs(path)).map { ("an input", $0) }
            }
        }
        self.files = files
    }

    /// Returns the inputs, or nothing if they cannot be found; the stage that reads them reports
    /// that.
    private static func inputs(_ pattern: String) -> [FileName] {
        do {
            return try InputFiles.expand(patterns: [pattern], baseFolder: ".").map(\.path)
        } catch {
            return []
        }
    }

    /// Returns the error if writing to the path would replace a protected file, under any of its
    /// names.
    ///
    /// - Parameter what: The file to write, for the message.
    func problem(
        with path: String, _ what: String = "the export", at place: Diagnostic.Place
    ) -> Diagnostic? {
        guard path != "-" else { return nil }
        let target = FileDescriptor.identity(FileName(path))
        let normalized = FileName(path).normalized
        let file = files.first { file in
            file.path.normalized == normalized
                || (target != nil && FileDescriptor.identity(file.path) == target)
        }
        guard let file else { return nil }
        return Diagnostic(
            code: "output.protected",
            "\(path) is \(file.name) of this run, which \(what) would replace", at: place,
            fix: "name another file")
    }
}
