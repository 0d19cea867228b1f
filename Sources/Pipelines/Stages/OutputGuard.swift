import Diagnostics
import RecordStreams

/// Keeps an export from replacing what its own run works with.
struct OutputGuard {
    private let environment: StageEnvironment

    init(_ environment: StageEnvironment) {
        self.environment = environment
    }

    /// - Throws: `RunFailure` with status 78 where the path is the store, the spec, the model or an
    ///   input of the run, by whatever name.
    func check(_ path: String, at location: SourceLocation) throws {
        guard path != "-", let target = FileDescriptor.identity(path) else { return }
        for (name, file) in protected() where FileDescriptor.identity(file) == target {
            throw RunFailure(
                .configuration,
                [
                    Diagnostic(
                        code: "output.protected",
                        "\(path) is \(name) of this run, which the export would replace",
                        at: .source(location), fix: "name another file")
                ])
        }
    }

    private func protected() -> [(name: String, file: String)] {
        let spec = environment.spec
        let values = environment.values
        var files = [("the spec", spec.file)]
        let store = values.path(spec.store.at)
        for suffix in ["", "-wal", "-shm", ".etl-lock", ".etl-new"] {
            files.append(("the store", store + suffix))
        }
        if case .file(let model)? = spec.store.model {
            files.append(("the model", values.path(model)))
        }
        for case .import(let stage) in spec.stages.map(\.kind) {
            let patterns = stage.read.files.map { values.path($0) }
            // Inputs that cannot be found are another stage's matter.
            let inputs = (try? InputFiles.expand(patterns: patterns, baseFolder: ".")) ?? []
            files += inputs.map { ("an input", $0.path) }
        }
        return files
    }
}
