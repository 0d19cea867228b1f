import Diagnostics
import FoundationEssentials
import GraphModel
package import GraphStore

/// Brings a store to another version of its model: `etl migrate`.
package struct StoreMigration {
    private let store: String
    private let modelPath: String
    private let progress: RunProgress
    private let interruption: Interruption

    /// - Parameters:
    ///   - modelPath: the model that the store shall have.
    ///   - progress: shows how far it has come.
    ///   - interruption: stops it; the store is as it was then.
    package init(
        store: String, to modelPath: String, progress: RunProgress, interruption: Interruption
    ) {
        self.store = store
        self.modelPath = modelPath
        self.progress = progress
        self.interruption = interruption
    }

    /// What would be done.
    package func plan() throws(RunFailure) -> MigrationPlan {
        let manager = try manager()
        do throws(StoreError) {
            return try manager.plan()
        } catch {
            throw RunFailure(error)
        }
    }

    /// Why a plan cannot be carried out; nil where it can.
    package func refusal(of plan: MigrationPlan) -> RunFailure? {
        guard !plan.isPossible else { return nil }
        let isUnclear = !plan.unclear.isEmpty
        let count = isUnclear ? plan.unclear.count : plan.obstacles.count
        let what = count == 1 ? "1 reason" : "\(count) reasons"
        return RunFailure(
            StoreError(
                isUnclear ? .needsMapping : .migrationRefused,
                "\(store) cannot be migrated to \(modelPath), for \(what) above"))
    }

    /// Migrates the store, which no run may use meanwhile.
    ///
    /// - Parameter planned: gets the plan before anything is written.
    package func run(planned: @escaping (MigrationPlan) -> Void) throws(RunFailure)
        -> MigrationResult
    {
        let manager = try manager()
        guard FileManager.default.fileExists(atPath: store) else {
            throw RunFailure(StoreError(.missing, "\(store) does not exist"))
        }
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let cancellation = MigrationCancellation()
        interruption.whenRequested { cancellation.cancel() }
        progress.begin(stage: "migrate \(PathText.lastComponent(store))", bytesTotal: 0)
        do throws(StoreError) {
            return try manager.migrate(
                cancellation: cancellation, planned: planned, report: show)
        } catch {
            var failure = RunFailure(error)
            if error.code == .cancelled, let reason = interruption.reason() {
                failure = RunFailure(
                    reason.status, code: "run.interrupted",
                    "The migration was stopped; the store is as it was")
            }
            if error.code == .exists { failure.status = .cannotCreate }
            throw failure
        }
    }

    private func lock() throws(RunFailure) -> StoreLock? {
        do {
            return try StoreLock.take(
                storePath: store, pipeline: "etl migrate",
                started: TimeText.iso(Date().timeIntervalSinceReferenceDate.rounded(.down)), .fail,
                interruption)
        } catch {
            throw RunFailure(error)
        }
    }

    private func show(_ state: MigrationProgress) {
        switch state.phase {
        case .copying:
            progress.enter(phase: "\(state.completed) of \(state.total) objects")
        default:
            progress.enter(phase: state.phase.rawValue)
        }
    }

    /// The command that brings a store to the model of a file, or of a spec.
    static func command(store: String, to file: String) -> String {
        let words = [store, file].map { word in
            let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "/._-+@".contains($0) }
            return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
        }
        return "etl migrate \(words[0]) --to \(words[1])"
    }

    /// The model is told to be wrong before the store is looked at.
    private func manager() throws(RunFailure) -> MigrationManager {
        let (model, diagnostics) = ModelSource.readOrStored(modelPath)
        guard let model else {
            let isMissing = diagnostics.contains { $0.code == "file.missing" }
            throw RunFailure(
                isMissing ? .noInput : .configuration,
                diagnostics.filter { $0.severity == .error })
        }
        return MigrationManager(storeAt: store, to: model, mapping: try mapping(to: model))
    }

    /// What is said beside the model of a migration from the store's version.
    private func mapping(to model: ManagedObjectModel) throws(RunFailure) -> MappingModel {
        // What is wrong with the store is told when it is migrated.
        guard let old = try? PersistentContainer.model(ofStoreAt: store), old != model,
            let path = MappingFile.path(beside: modelPath, from: old, to: model),
            FileManager.default.fileExists(atPath: path)
        else { return MappingModel() }
        let (mapping, diagnostics) = MappingFile.read(path, to: model)
        guard let mapping else { throw RunFailure(problems: diagnostics) }
        return mapping
    }
}
