import Files
import GraphModel

/// The opening of several stores in one container.
extension PersistentStore {
    /// Opens or creates several stores as one.
    ///
    /// - Parameters:
    ///   - descriptions: The stores; the first contains the history and the progress notes of runs.
    ///   - model: The model of the stores; `nil` uses the model of the first store.
    package static func open(
        _ descriptions: [StoreDescription], model: ManagedObjectModel?
    ) throws(StoreError) -> PersistentStore {
        guard let description = descriptions.first else {
            throw StoreError(.invalidRequest, "A container needs a store")
        }
        var known = model
        if known == nil { known = try Self.model(of: description, among: descriptions) }
        guard let model = known else { return try open(description, model: nil, holding: nil) }
        let held = try StoreAssignment.entities(of: descriptions, model)
        guard descriptions.count > 1 else {
            return try open(description, model: model, holding: held[0])
        }
        try checkKinds(descriptions)
        let missing = descriptions.filter { $0.kind == .sqlite && !FileSystem.exists($0.path) }
        do throws(StoreError) {
            return try openAll(descriptions, model, held)
        } catch {
            // Open all or none: the stores that were just created are empty.
            for made in missing { try? StoreFiles.destroy(at: made.path) }
            throw error
        }
    }

    private static func openAll(
        _ descriptions: [StoreDescription], _ model: ManagedObjectModel, _ held: [Set<String>?]
    ) throws(StoreError) -> PersistentStore {
        let first = try open(descriptions[0], model: model, holding: held[0])
        var others: [PersistentStore] = []
        try rejectApp(first)
        for (description, held) in zip(descriptions, held).dropFirst() {
            let other = try open(description, model: model, holding: held)
            try rejectApp(other)
            guard other.history == nil else {
                throw StoreError(
                    .invalidRequest,
                    "\(description.path) keeps a history, which only a container's first store"
                        + " can; name it first")
            }
            guard
                other.metadata.current.keepsExactDecimals
                    == first.metadata.current.keepsExactDecimals
            else {
                throw StoreError(
                    .invalidRequest,
                    "\(description.path) and \(first.path) keep decimals differently; the stores of"
                        + " a container keep all of them exact, or none")
            }
            others.append(other)
        }
        return try PersistentStore(first, with: others)
    }

    /// Throws if a store is an app's: the app chose its entity numbers, which other stores do not
    /// share.
    private static func rejectApp(_ store: PersistentStore) throws(StoreError) {
        guard store.origin.isApp else { return }
        throw StoreError(
            .invalidRequest,
            "\(store.path) was created by an app, and cannot be opened together with other stores")
    }

    /// Returns the model in the store if there are several stores or a configuration, else `nil`.
    private static func model(
        of description: StoreDescription, among all: [StoreDescription]
    ) throws(StoreError) -> ManagedObjectModel? {
        guard all.count > 1 || description.configuration != nil else { return nil }
        guard description.kind == .sqlite, let model = try model(at: description.path) else {
            throw StoreError(
                .noModel, "Stores that are selected by configuration need a model")
        }
        return model
    }

    private static func checkKinds(_ descriptions: [StoreDescription]) throws(StoreError) {
        if let atomic = descriptions.first(where: \.kind.isAtomic) {
            throw StoreError(
                .invalidRequest,
                "\(atomic.path): several stores of a container are SQLite files or in memory;"
                    + " a \(StoreDescription.Kind.binary.rawValue) or"
                    + " \(StoreDescription.Kind.json.rawValue) store must be the only one")
        }
        if !descriptions[0].options.mayWrite,
            let writable = descriptions.first(where: \.options.mayWrite)
        {
            throw StoreError(
                .invalidRequest,
                "\(descriptions[0].path) is open for reading only, and \(writable.path) is not;"
                    + " name a store that may be written first")
        }
    }
}
