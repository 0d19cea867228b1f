import Diagnostics
import Files
import FoundationEssentials

/// Finds the value of each parameter and collects the problems.
struct ParameterBinder {
    private let spec: PipelineSpec
    private let context: ParameterValues.Context
    private let now: Double
    private(set) var values: [String: ParameterValue] = [:]
    private(set) var diagnostics: [Diagnostic] = []

    init(_ spec: PipelineSpec, _ context: ParameterValues.Context) {
        self.spec = spec
        self.context = context
        now = context.now.timeIntervalSinceReferenceDate
    }

    /// Binds the parameters; without sources, uses only `--set` and defaults.
    mutating func bind(readingSources: Bool) {
        let sets = readSets()
        var unset: [ParameterSpec] = []
        for parameter in spec.parameters {
            if let texts = sets[parameter.name] {
                bind(parameter, texts)
            } else if readingSources, let found = readSources(of: parameter) {
                bind(parameter, found.text, from: found.origin, folder: specFolder)
            } else if let texts = parameter.defaultList {
                values[parameter.name] = .list(texts)
            } else if let text = parameter.defaultText {
                bind(parameter, text, from: "default", folder: specFolder)
            } else {
                unset.append(parameter)
            }
        }
        if readingSources { reportUnset(unset) }
    }

    private var specFolder: String { PathText.join(context.workingFolder, spec.folder) }

    /// The minimum length of a secret: masking a shorter text would also mask unrelated text.
    private static let secretBytesMin = 4

    private mutating func bind(_ parameter: ParameterSpec, _ texts: [String]) {
        if parameter.kind == .list {
            values[parameter.name] = .list(texts)
        } else if texts.count == 1 {
            bind(parameter, texts[0], from: "--set", folder: context.workingFolder)
        } else {
            report(
                "set",
                "--set gives '\(parameter.name)' \(texts.count) times, and only a parameter of the "
                    + "type list takes several values",
                .source(parameter.location), fix: "give it once, or declare `type: list`",
                fault: .usage)
        }
    }

    private mutating func readSets() -> [String: [String]] {
        var sets: [String: [String]] = [:]
        for set in context.sets {
            guard let assignment = Assignment(set) else {
                report("set", "--set needs name=value, not '\(set)'", .nowhere)
                continue
            }
            let name = assignment.name
            guard let parameter = spec.parameters.first(where: { $0.name == name }) else {
                let hint = Suggestion.phrase(for: name, among: spec.parameters.map(\.name))
                report(
                    "unknown-parameter",
                    "--set names the parameter '\(name)', which the spec does "
                        + "not declare" + hint, .file(spec.file))
                continue
            }
            if parameter.kind == .secret {
                report(
                    "secret", "A secret must not be on the command line: '\(name)'",
                    .source(parameter.location), fix: Self.fix(parameter))
            }
            sets[name, default: []].append(assignment.value)
        }
        return sets
    }

    /// Returns the value of the first source that has one.
    private mutating func readSources(
        of parameter: ParameterSpec
    ) -> (text: String, origin: String)? {
        for source in parameter.sources {
            switch source {
            case .environment(let name):
                if let text = context.environment[name] { return (text, "env:\(name)") }
            case .file(let path):
                let whole = PathText.join(specFolder, path)
                guard FileSystem.exists(whole) else { continue }
                guard let text = readFile(whole, parameter) else { return nil }
                return (text, "file:\(path)")
            }
        }
        return nil
    }

    private mutating func readFile(_ path: String, _ parameter: ParameterSpec) -> String? {
        do throws(SystemFault) {
            let bytes = try FileSystem.contents(path)
            if var text = String(validating: bytes, as: UTF8.self) {
                if text.utf8.last == UInt8(ascii: "\n") { text.unicodeScalars.removeLast() }
                if text.utf8.last == UInt8(ascii: "\r") { text.unicodeScalars.removeLast() }
                return text
            }
            report(
                "source", "The file '\(path)' of '\(parameter.name)' is not UTF-8 text",
                .source(parameter.location))
        } catch {
            report(
                "source",
                "The file '\(path)' of '\(parameter.name)' cannot be read: \(error.text)",
                .source(parameter.location), fault: Fault(.spec, error.kind))
        }
        return nil
    }

    private mutating func bind(
        _ parameter: ParameterSpec, _ text: String, from origin: String, folder: String
    ) {
        guard let value = ParameterValues.convert(text, parameter.kind, now: now) else {
            report(
                "parameter-value",
                "'\(parameter.name)' must be \(parameter.kind.example), not '\(text)' (\(origin))",
                .source(parameter.location))
            return
        }
        if case .secret = value, text.utf8.count < Self.secretBytesMin {
            report(
                "short-secret",
                "The secret '\(parameter.name)' has fewer than \(Self.secretBytesMin) bytes (\(origin)), so it "
                    + "cannot be masked: its text is part of other texts",
                .source(parameter.location), fix: "use a longer secret")
            return
        }
        if case .path(let path) = value {
            if let url = URLCheck.diagnostic(
                path, at: .source(parameter.location), in: folder)
            {
                diagnostics.append(url)
            }
            values[parameter.name] = .path(path == "-" ? path : PathText.join(folder, path))
        } else {
            values[parameter.name] = value
        }
    }

    private mutating func reportUnset(_ unset: [ParameterSpec]) {
        let told = Set(diagnostics.filter { $0.code == "spec.source" }.map(\.place))
        let missing = unset.filter { !told.contains(.source($0.location)) }
        guard let first = missing.first else { return }
        let names = missing.map { "'\($0.name)'" }.joined(separator: ", ")
        report(
            "unset-parameter",
            missing.count == 1
                ? "The parameter \(names) has no value" : "The parameters \(names) have no value",
            .source(first.location), fix: missing.map(Self.fix).joined(separator: "; "))
    }

    /// Returns the ways to give the parameter a value.
    private static func fix(_ parameter: ParameterSpec) -> String {
        let sources = parameter.sources.map { source in
            switch source {
            case .environment(let name): "set the variable \(name)"
            case .file(let path): "write the file \(path)"
            }
        }
        let flag =
            parameter.kind == .secret
            ? (sources.isEmpty ? ["name its source with `from`"] : [])
            : ["pass --set \(parameter.name)=…"]
        return (sources + flag).joined(separator: " or ")
    }

    private mutating func report(
        _ code: String, _ message: String, _ place: Diagnostic.Place, fix: String? = nil,
        fault: Fault? = nil
    ) {
        diagnostics.append(
            Diagnostic(code: "spec.\(code)", message, at: place, fix: fix, fault: fault))
    }
}
