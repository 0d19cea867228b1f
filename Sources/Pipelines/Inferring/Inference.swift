package import Diagnostics
import Files
import GraphModel
import RecordStreams

/// A model and a spec to begin with, made from samples of data or from a store.
package struct Inference: Sendable {
    /// The model, as YAML; nil where the spec does without one.
    package private(set) var model: String?
    /// What is to be told beside the result.
    package private(set) var warnings: [Diagnostic] = []
    private let name: String
    private let entities: [InferredEntity]
    private let joins: [InferredJoin]
    /// The store, where the spec exports from one.
    private let store: (path: String, model: ManagedObjectModel)?
    /// Whether the spec exports from a store.
    var isOfStore: Bool { store != nil }

    /// Reads files of records, or one store.
    ///
    /// - Parameter options: what is known of the files; of a store nothing need be known.
    package init(
        from paths: [String], options: InferenceOptions = InferenceOptions()
    ) throws(RunFailure) {
        let stores = paths.filter { ModelSource.isStore($0) }
        if let store = stores.first {
            guard paths.count == 1 else {
                throw RunFailure(
                    .usage, code: "infer.store", "'\(store)' is a store, so it stands alone",
                    fix: "run `etl infer` for it by itself")
            }
            self = try Inference(store: store)
            return
        }
        let samples: [Sample]
        let empty: [String]
        do throws(RecordStreamError) {
            (samples, empty) = try Self.samples(
                of: paths, options, DistinctRoom(options.valuesMax))
        } catch {
            throw Self.failure(error)
        }
        warnings = samples.flatMap(Self.warnings) + empty.map(Self.noRecords)
        let full = samples.filter { $0.records > 0 }
        guard !full.isEmpty else {
            throw RunFailure(
                .dataError,
                warnings.map { warning in
                    var error = warning
                    if error.code == "infer.empty" { error.severity = .error }
                    return error
                })
        }
        let found = EntityInference(full)
        entities = found.entities
        joins = found.joins
        name = Self.name(of: full)
        store = nil
        model = InferenceText.model(entities)
    }

    private init(store path: String) throws(RunFailure) {
        let (found, diagnostics) = ModelSource.readOrStored(path)
        guard let found else {
            throw RunFailure(problems: diagnostics)
        }
        let (text, problems) = ModelYAMLWriter.text(of: found)
        // A text that does not read back would be no model of this store.
        model = problems.isEmpty ? text : nil
        warnings = diagnostics + problems
        store = (path, found)
        entities = []
        joins = []
        name = ""
    }

    /// Nothing here is named by a spec, nor begins at one.
    private static func failure(_ error: RecordStreamError) -> RunFailure {
        var failure = RunFailure(error)
        guard error.fault == .noInput else { return failure }
        for place in failure.diagnostics.indices where failure.diagnostics[place].fix != nil {
            failure.diagnostics[place].fix =
                "check the name; a relative path starts at the working folder"
        }
        return failure
    }

    // MARK: Samples

    private static func samples(
        of paths: [String], _ options: InferenceOptions, _ room: DistinctRoom
    ) throws(RecordStreamError) -> (samples: [Sample], empty: [String]) {
        var inputs: [SampleInput] = []
        var empty: [String] = []
        var seen: Set<FileName> = []
        for path in paths {
            let files = try InputFiles.expand(patterns: [path], baseFolder: ".")
            guard !files.isEmpty else { throw RecordStreamError(missing: path) }
            for file in files where seen.insert(file.path).inserted {
                // Of nothing at all, not even the form can be told.
                if FileDescriptor.size(file.path) == 0 {
                    empty.append(file.name)
                } else {
                    inputs.append(try SampleInput(file, options.format))
                }
            }
        }
        let wanted = inputs.map {
            options.entity ?? InferredNames.entity(ofFile: $0.file.pattern)
        }
        let tracking = FieldTracking(
            entities: Set(wanted.map(InferredNames.folded)), room: room)
        var taken = TakenNames()
        var samples: [(wanted: String, sample: Sample)] = []
        for (input, name) in zip(inputs, wanted) {
            let known = samples.first { $0.wanted == name && $0.sample.takes(input) }?.sample
            let sample =
                known
                ?? Sample(entityName: taken.claim(name), first: input, tracking: tracking)
            if known == nil { samples.append((name, sample)) }
            try sample.read(input, limit: options.limit ?? .max)
        }
        for (_, sample) in samples where sample.records == 0 { empty += sample.paths }
        return (samples.map(\.sample), empty)
    }

    /// A file without records says nothing of their types.
    private static func noRecords(in path: String) -> Diagnostic {
        Diagnostic(
            .warning, code: "infer.empty",
            "The file has no record that can be read, so nothing is made of it", at: .file(path),
            fix: "give a file with some records")
    }

    private static func warnings(_ sample: Sample) -> [Diagnostic] {
        guard sample.rejectCount > 0 else { return [] }
        let shown = sample.rejects.map { reject in
            var warning = reject
            warning.severity = .warning
            return warning
        }
        let more = sample.rejectCount - shown.count
        guard more > 0 else { return shown }
        let file = sample.paths.first ?? ""
        return shown + [
            Diagnostic(
                .warning, code: "infer.rejects",
                "\(more) more record\(more == 1 ? "" : "s") cannot be read; imports reject them",
                at: .file(file))
        ]
    }

    /// The name of the spec and of its store: `tasks`, or `data` for several entities.
    private static func name(of samples: [Sample]) -> String {
        guard samples.count == 1 else { return "data" }
        let plural = InferredNames.plural(InferredNames.lowered(samples[0].entityName))
        let name = String(
            plural.lowercased().unicodeScalars.filter {
                ("a"..."z").contains($0) || ("0"..."9").contains($0)
            }.prefix(50).map(Character.init))
        return name.isEmpty ? "data" : name
    }

    // MARK: Results

    /// The spec.
    ///
    /// - Parameters:
    ///   - modelFile: where the model stands, as the spec names it; nil puts it into the spec.
    ///   - path: what the spec calls a file.
    package func spec(modelFile: String?, path: (String) -> String = { $0 }) -> String {
        spec(modelFile: modelFile, store: nil, settings: [], path: path)
    }

    /// The same for a store of another name.
    ///
    /// - Parameters:
    ///   - at: the path of the store, as the spec names it.
    ///   - settings: lines of further keys.
    func spec(
        modelFile: String?, store at: String?, settings: [String], path: (String) -> String
    ) -> String {
        var lines: [String] = []
        if let model {
            if let modelFile {
                lines = ["model: \(InferenceText.file(modelFile))"]
            } else {
                lines = ["model:"] + model.split(separator: "\n").map { "  " + $0 }
            }
        }
        guard let store else {
            return InferenceText.spec(
                name: name, store: at, model: lines, settings: settings, entities, joins, path: path
            )
        }
        return StoreExportText.spec(store: path(store.path), model: lines, store.model)
    }
}

extension RecordStreamError {
    init(missing path: String) {
        self.init(.inputMissing, at: RecordLocation(source: path))
    }
}
