import Diagnostics
import Files

/// Checks how the stages of a spec use files, if the names are known before a run.
///
/// Standard input may be read only once, and no export or metrics file may replace a file that the
/// run uses.
struct FileUseCheck {
    private let spec: PipelineSpec
    let values: ParameterValues
    /// The protected files; lazy, because only exports need them and they require a search for
    /// inputs.
    private lazy var protected = ProtectedFiles(spec, values)
    private var inputLine: Int?
    var exportLines: [FileName: Int] = [:]
    var found: [Diagnostic] = []

    static func check(_ spec: PipelineSpec, _ values: ParameterValues) -> [Diagnostic] {
        var check = FileUseCheck(spec, values)
        for stage in spec.stages { stage.kind.check(&check) }
        check.checkMetrics()
        return check.found
    }

    private init(_ spec: PipelineSpec, _ values: ParameterValues) {
        self.spec = spec
        self.values = values
    }

    mutating func checkInputs(_ files: [TemplateText]) {
        for file in files where values.canResolve(file) && values.path(file) == "-" {
            guard let line = inputLine else {
                inputLine = file.location.line
                continue
            }
            found.append(
                Diagnostic(
                    code: "spec.standard-input",
                    "Standard input can be read once, and line \(line) reads it",
                    at: .source(file.location), fix: "give one of the two a file"))
        }
    }

    private mutating func checkMetrics() {
        guard let metrics = spec.report.metrics, let (path, isKnown) = output(metrics),
            path != "-"
        else { return }
        checkOutput(path, isKnown, "the metrics", at: metrics.location)
    }

    /// Returns the path of an output, or its unresolved text if a parameter has no value yet.
    ///
    /// Equal unresolved texts name the same file.
    func output(_ file: TemplateText) -> (path: String, isKnown: Bool)? {
        guard !file.text.isEmpty else { return nil }
        let isKnown = values.canResolve(file)
        return (isKnown ? values.path(file) : file.text, isKnown)
    }

    static func name(_ file: String, _ isKnown: Bool) -> FileName {
        isKnown ? FileName(file).normalized : FileName(file)
    }

    mutating func checkOutput(
        _ file: String, _ isKnown: Bool, _ what: String, at place: SourceLocation
    ) {
        if let line = exportLines[Self.name(file, isKnown)] {
            found.append(
                Diagnostic(
                    code: "output.twice", "The export on line \(line) writes \(file) too",
                    at: .source(place), fix: "name another file"))
        } else if isKnown,
            let problem = protected.problem(with: file, what, at: .source(place))
        {
            found.append(problem)
        }
    }
}
