package import Files
import GraphModel
import SQLite

extension PersistentContainer {
    /// Returns the files that a stage of a pipeline has imported, by path.
    ///
    /// For an app's store, they are in a file next to the store.
    package func knownInputs(
        pipeline: String, stage: String
    ) throws(StoreError) -> [FileName: KnownInput] {
        let inputs = try knownInputs(pipeline: pipeline)[stage] ?? []
        return Dictionary(inputs.map { ($0.path, $0) }) { _, last in last }
    }

    /// Returns the files that the stages of a pipeline have imported, by stage.
    package func knownInputs(pipeline: String) throws(StoreError) -> [String: [KnownInput]] {
        let usesWorkingCopy = origin.isApp && storeDescription.options.isReadOnly
        let memory =
            usesWorkingCopy ? try InputMemory.connection(nextToStoreAt: path, uuid: storeUUID) : nil
        let reader: Connection
        if let memory { reader = memory } else { reader = try newReader() }
        return try KnownInputs.read(pipeline: pipeline, on: reader)
    }

    /// Returns the inputs that stages of any pipeline have appended to an entity.
    package func appendedInputs(entity: String) throws(StoreError) -> [AppendedInput] {
        try (knownInputs(pipeline: KnownInputs.appends)[entity] ?? []).compactMap(
            AppendedInput.init)
    }
}

extension ManagedObjectContext {
    /// Records in the open transaction that a stage has appended inputs to an entity.
    package func remember(
        appended inputs: [AppendedInput], to entity: String
    ) throws(StoreError) {
        try remember(inputs.map(\.row), pipeline: KnownInputs.appends, stage: entity)
    }

    /// Records in the open transaction that a stage has imported files.
    package func remember(
        _ inputs: [KnownInput], pipeline: String, stage: String
    ) throws(StoreError) {
        try requireSpaceForNotes()
        let session = try session()
        try session.besidesObjects { () throws(StoreError) in
            try KnownInputs.write(inputs, pipeline, stage, on: session.connection)
        }
    }
}
