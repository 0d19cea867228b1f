import Diagnostics
import GraphModel

/// The checks of inputs before entities are inferred, and the entities that the store adds to them.
extension Inference {
    /// Throws if an input is a URL, because only a command can read it.
    static func checkURLs(
        _ paths: [String], _ options: InferenceOptions
    ) throws(RunFailure) {
        let urls = paths.compactMap {
            URLCheck.problem(ofInput: $0, format: options.format, command: options.command)
        }
        guard urls.isEmpty else { throw RunFailure(.noInput, urls) }
    }

    /// Throws if no input has a record, unless the store already has the entities of the files.
    static func requireRecords(_ inputs: InferenceInputs) throws(RunFailure) {
        guard !inputs.hasRecords, !inputs.areOfStore else { return }
        throw RunFailure(
            .dataError,
            inputs.warnings.map { warning in
                var error = warning
                if error.code == "infer.empty" { error.severity = .error }
                return error
            })
    }

    /// Returns the entities of the store to which records may refer.
    ///
    /// These are all entities if the import adds an entity or a column. Otherwise, they are those
    /// to which a link of the store may refer with unknown keys.
    static func stored(
        _ samples: [Sample], _ options: InferenceOptions
    ) throws(RunFailure) -> [StoredEntity] {
        guard let store = options.store, let model = options.storeModel,
            let tracking = samples.first?.root.tracking
        else { return [] }
        let names = model.entities.map(\.name)
        let isAdding =
            options.addsColumns
            || samples.contains(where: { InferredNames.match($0.entityName, names) == nil })
        let targets =
            isAdding ? nil : StoredLinkKeys.targets(of: samples.map(\.entityName), in: model)
        guard targets?.isEmpty != true else { return [] }
        do {
            return try StoredEntity.all(inStoreAt: store, model, targets, tracking)
        } catch {
            throw RunFailure(error)
        }
    }
}
