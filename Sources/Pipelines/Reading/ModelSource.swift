package import Diagnostics
import Files
import FoundationEssentials
package import GraphModel
import GraphStore
import XcodeModel
import YAML

/// Reads a model from YAML, an Xcode model, or a store.
package enum ModelSource {
    /// Reads a YAML file, or an Xcode model if the path is a folder or has the name of one.
    package static func read(
        _ path: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let reading = reading(path)
        return (reading.model, reading.diagnostics)
    }

    /// Reads a model; if a YAML model has errors, the result contains its certain parts.
    static func reading(_ path: String) -> ModelReading {
        // If the kind is unknown, reading the file fails and reports the reason.
        let kind = (try? FileStatus(of: path))?.kind
        let isYAML = path.hasSuffix(".yaml") || path.hasSuffix(".yml")
        if XcodeModelBundle.isXcodeModel(path) || kind == .folder
            || (kind != nil && !isYAML && isXML(path))
        {
            let (model, diagnostics) = XcodeModelFile.read(path)
            return ModelReading(model: model, diagnostics: diagnostics)
        }
        let (root, diagnostics) = YAMLParser.parse(file: path)
        guard let mark = specMark(root) else {
            return ModelFile.reading(root, after: diagnostics, file: path)
        }
        return ModelReading(diagnostics: [
            Diagnostic(
                code: "model.is-spec", "This is a pipeline spec, not a model",
                at: .source(
                    SourceLocation(
                        file: path, line: mark.line, column: mark.column, keyPath: "etl")),
                fix: "name the model under its `store.model`")
        ])
    }

    /// Returns the position of the `etl` key, if a YAML file is a pipeline spec.
    private static func specMark(_ root: YAMLNode?) -> YAMLMark? {
        guard case .mapping(let entries) = root?.content,
            !entries.contains(where: { $0.key == "model" || $0.key == "entities" })
        else { return nil }
        return entries.first { $0.key == "etl" }?.keyMark
    }

    /// Reads a model file, the model that a store contains, or the model of a pipeline spec.
    package static func readOrStored(
        _ path: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        guard isStore(path) else {
            let isSpec = read(path).diagnostics.first?.code == "model.is-spec"
            return isSpec ? model(ofSpec: path) : read(path)
        }
        do throws(StoreError) {
            let (carried, origin) = try PersistentContainer.carriedModel(at: path)
            guard let model = carried else {
                throw StoreError(.noModel, "The store carries no model that can be read")
            }
            return (model, Diagnostic.remarks(on: origin, at: .file(path)))
        } catch {
            let code = "store.\(error.code.rawValue)"
            let fix = error.code == .encoding ? RunFailure(error).diagnostics.first?.fix : nil
            return (nil, [Diagnostic(code: code, error.message, at: .file(path), fix: fix)])
        }
    }

    /// Returns the problems of a YAML file if it is a model; `nil` for a spec and any other file.
    package static func problems(ifModel path: String) -> [Diagnostic]? {
        let root = YAMLParser.parse(file: path).root
        guard case .mapping(let entries)? = root?.content,
            ["model", "entities"].allSatisfy({ name in entries.contains { $0.key == name } })
        else { return nil }
        let reading = reading(path)
        return DiagnosticList(reading.diagnostics + DerivationCheck.check(reading)).diagnostics
    }

    /// Returns the model that a spec names, or otherwise the model of its store.
    private static func model(
        ofSpec path: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let (read, problems) = SpecificationFile.read(file: path)
        guard let spec = read else { return (nil, problems) }
        let values = ParameterValues.partial(
            spec,
            ParameterValues.Context(
                sets: [], environment: [:], now: Date(),
                workingFolder: WorkingFolder.path))
        let reading = spec.modelReading(values)
        if reading.model != nil || !reading.diagnostics.isEmpty {
            return (reading.model, reading.diagnostics)
        }
        if spec.store.model == nil, values.canResolve(spec.store.at) {
            let store = values.path(spec.store.at)
            if isStore(store) { return readOrStored(store) }
        }
        let diagnostic = Diagnostic(
            code: "model.is-spec",
            "The file is a pipeline spec, and its model depends on its store or its parameters",
            at: .source(spec.store.location),
            fix: "name the model itself, or the store")
        return (nil, [diagnostic])
    }

    /// Returns whether the file is an SQLite database.
    static func isStore(_ path: String) -> Bool { starts(path, with: "SQLite format 3\0") }

    /// Returns whether a file name determines the format in which to write a model.
    package static func canWrite(_ path: String) -> Bool {
        isXcodeName(path) || path.hasSuffix(".yaml") || path.hasSuffix(".yml")
    }

    /// Writes a model in the format of the file name, and returns warnings about what the format
    /// cannot express.
    package static func write(
        _ model: ManagedObjectModel, to path: String, overwrites: Bool
    ) throws(Diagnostic) -> [Diagnostic] {
        guard overwrites || !FileSystem.exists(path) else {
            throw Diagnostic(
                code: "file.exists", "The model already exists", at: .file(path),
                fix: "choose another name, or give --force")
        }
        if isXcodeName(path) { return try XcodeModelFile.write(model, to: path) }
        let (text, warnings) = ModelYAMLWriter.text(of: model)
        do {
            try FileSystem.replace(path, with: Array(text.utf8))
        } catch {
            throw Diagnostic(
                code: "file.write", "The file cannot be written: \(error)", at: .file(path))
        }
        return warnings
    }

    private static func isXcodeName(_ path: String) -> Bool {
        let path = PathText.withoutSlashes(path)
        return path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".xcdatamodel")
    }

    /// Returns whether the file is XML: a `contents` file under another name.
    private static func isXML(_ path: String) -> Bool {
        starts(path, with: "<?xml") || starts(path, with: "<model")
    }

    private static func starts(_ path: String, with text: String) -> Bool {
        FileDescriptor.head(ofFile: path)?.hasPrefix(text) ?? false
    }
}
