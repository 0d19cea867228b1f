import Diagnostics
import Files
import RecordStreams

/// Checks what the stages of a spec do with files, as far as the names are known before a run:
/// standard input is read once, and no export and no metrics replace what the run works with.
struct FileUseCheck {
    private let spec: PipelineSpec
    private let values: ParameterValues
    /// Looked up where there is an export, for that takes a look at the inputs' folders.
    private lazy var protected = ProtectedFiles(spec, values)
    private var inputLine: Int?
    private var exportLines: [FileName: Int] = [:]
    private var found: [Diagnostic] = []

    static func check(_ spec: PipelineSpec, _ values: ParameterValues) -> [Diagnostic] {
        var check = FileUseCheck(spec, values)
        for stage in spec.stages {
            switch stage.kind {
            case .import(let spec): check.checkInputs(spec.read.files)
            case .export(let spec): check.checkOutput(spec)
            case .update, .delete, .verify: break
            }
        }
        check.checkMetrics()
        return check.found
    }

    private init(_ spec: PipelineSpec, _ values: ParameterValues) {
        self.spec = spec
        self.values = values
    }

    private mutating func checkInputs(_ files: [TemplateText]) {
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

    private mutating func checkOutput(_ spec: ExportSpec) {
        let place = spec.to.location
        guard let (path, isKnown) = output(spec.to) else { return }
        guard path != "-" else {
            // Of a literal one the reader tells.
            guard spec.to.text != path, spec.parts != nil || spec.hasManifest else { return }
            found.append(
                Diagnostic(
                    code: "spec.rule",
                    "\(spec.parts != nil ? "Parts are files" : "A manifest is written next to a file"), "
                        + "but '-' is standard output",
                    at: .source(place), fix: "name a file"))
            return
        }
        checkFormat(spec)
        for file in spec.outputs(at: FileName(path)).map(\.displayText) {
            checkOutput(file, isKnown, "the export", at: place)
            let name = Self.name(file, isKnown)
            exportLines[name] = exportLines[name] ?? place.line
        }
    }

    /// A name that promises another format than the file would have misleads whoever reads it.
    private mutating func checkFormat(_ spec: ExportSpec) {
        // What the spec says is what the fix is to say, where that tells.
        let isTold = ForeignFormat(fileName: FileName(spec.to.knownEnd)) != nil
        let name = isTold || !values.canResolve(spec.to) ? spec.to.text : values.resolve(spec.to)
        guard let format = ForeignFormat(fileName: FileName(name)) else { return }
        found.append(
            Diagnostic(
                code: "spec.foreign-format",
                "The name '\(name)' is that of \(format.text), which etl does not write",
                at: .source(spec.to.location),
                fix: format.fix(
                    writing: name, as: spec.format,
                    isSeveral: spec.parts != nil || spec.hasManifest)))
    }

    private mutating func checkMetrics() {
        guard let metrics = spec.report.metrics, let (path, isKnown) = output(metrics),
            path != "-"
        else { return }
        checkOutput(path, isKnown, "the metrics", at: metrics.location)
    }

    /// Texts with a parameter that has no value yet are the same file where they are the same.
    private func output(_ file: TemplateText) -> (path: String, isKnown: Bool)? {
        guard !file.text.isEmpty else { return nil }
        let isKnown = values.canResolve(file)
        return (isKnown ? values.path(file) : file.text, isKnown)
    }

    private static func name(_ file: String, _ isKnown: Bool) -> FileName {
        isKnown ? FileName(file).normalized : FileName(file)
    }

    private mutating func checkOutput(
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
