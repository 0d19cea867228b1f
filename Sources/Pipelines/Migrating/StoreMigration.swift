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
    private let allowsCloudKit: Bool

    /// - Parameters:
    ///   - modelPath: the model that the store shall have.
    ///   - allowsCloudKit: also an app's store that the app mirrors to CloudKit.
    ///   - progress: shows how far it has come.
    ///   - interruption: stops it; the store is as it was then.
    package init(
        store: String, to modelPath: String, allowsCloudKit: Bool = false,
        progress: RunProgress, interruption: Interruption
    ) {
        self.allowsCloudKit = allowsCloudKit
        self.store = store
        self.modelPath = modelPath
        self.progress = progress
        self.interruption = interruption
    }

    /// One version after another that the store becomes.
    package struct Step {
        /// What it is called; nil where the store becomes what it shall be at once.
        package fileprivate(set) var title: String?
        fileprivate var model: ManagedObjectModel
        fileprivate var mapping: MappingModel
        /// Where the mapping stands, or would.
        fileprivate var mappingPath: String?
        /// Whether anything is said of it.
        fileprivate var isMapped = false
        /// The version that it begins with, and those that it leaves out.
        fileprivate var start: ModelVersions.Version?
        fileprivate var between: [ManagedObjectModel] = []
    }

    /// What would be done first, and the steps behind it, which can be told once it is done.
    package func plan() throws(RunFailure) -> (plan: MigrationPlan, steps: [Step]) {
        let versions = try versions()
        let steps = try steps(versions)
        do throws(StoreError) {
            return (try manager(steps[0], versions).plan(), steps)
        } catch {
            throw RunFailure(error)
        }
    }

    /// Why a plan cannot be carried out; nil where it can.
    package func refusal(of plan: MigrationPlan, _ step: Step) -> RunFailure? {
        guard !plan.isPossible else { return nil }
        let isUnclear = !plan.unclear.isEmpty
        let count = isUnclear ? plan.unclear.count : plan.obstacles.count
        let what = count == 1 ? "1 reason" : "\(count) reasons"
        let failure = RunFailure(
            StoreError(
                isUnclear ? .needsMapping : .migrationRefused,
                "\(store) cannot be migrated to \(modelPath), for \(what) above"))
        return isUnclear ? naming(step, in: failure) : failure
    }

    /// The failure with the file in which a mapping is to be written.
    private func naming(_ step: Step, in failure: RunFailure) -> RunFailure {
        var failure = failure
        let fix: String
        if let path = step.mappingPath {
            let folder = MappingFile.folder(beside: modelPath)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let others = names.filter { $0.hasSuffix(".yaml") }.sorted()
            fix =
                isFile(path)
                ? "say it in \(path)"
                : "say it in \(path), which is not there"
                    + (others.isEmpty ? "" : "; the folder has \(others.joined(separator: ", "))")
        } else {
            fix =
                "give both models a `version`, and say it in migrations/OLD-NEW.yaml beside the new"
        }
        for place in failure.diagnostics.indices { failure.diagnostics[place].fix = fix }
        return failure
    }

    /// Migrates the store, which no run may use meanwhile.
    ///
    /// - Parameter planned: gets each step with its plan before anything of it is written.
    /// - Returns: where the old store is now; nil where there was nothing to do.
    package func run(planned: (Step, MigrationPlan) -> Void) throws(RunFailure) -> String? {
        // A model is told to be wrong before the store is looked at.
        let versions = try versions()
        guard FileManager.default.fileExists(atPath: store) else {
            throw RunFailure(StoreError(.missing, "\(store) does not exist"))
        }
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        // Another one may have been at work until now.
        let steps = try steps(versions)
        let cancellation = MigrationCancellation()
        interruption.whenRequested { cancellation.cancel() }
        progress.begin(stage: "migrate \(PathText.lastComponent(store))", bytesTotal: 0)
        var kept: String?
        for (place, step) in steps.enumerated() {
            do throws(StoreError) {
                let result = try manager(step, versions).migrate(
                    cancellation: cancellation, planned: { planned(step, $0) }, report: show)
                if kept == nil {
                    kept = result.backupPath
                } else if let between = result.backupPath {
                    // The store is migrated, whatever comes of what it was in between.
                    _ = try? MigrationManager.removeBackup(between)
                }
            } catch {
                let failure = failure(error, done: steps[..<place])
                throw error.code == .needsMapping ? naming(step, in: failure) : failure
            }
        }
        return kept
    }

    private func failure(_ error: StoreError, done: ArraySlice<Step>) -> RunFailure {
        var failure = RunFailure(error)
        let state = (done.last?.title).map { "the store came as far as \($0)" }
        if error.code == .cancelled, let reason = interruption.reason() {
            failure = RunFailure(
                reason.status, code: "run.interrupted",
                "The migration was stopped; \(state ?? "the store is as it was")")
        } else if let state {
            failure = RunFailure(StoreError(error.code, "\(error.message) (\(state))"))
        }
        if error.code == .exists { failure.status = .cannotCreate }
        return failure
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

    // MARK: Steps

    private func manager(_ step: Step, _ versions: ModelVersions) -> MigrationManager {
        var manager = MigrationManager(storeAt: store, to: step.model, mapping: step.mapping)
        manager.versions = versions.all.map(\.model)
        manager.allowsCloudKit = allowsCloudKit
        manager.between = step.between
        return manager
    }

    /// The versions of the model, one at least.
    private func versions() throws(RunFailure) -> ModelVersions {
        let (versions, diagnostics) = ModelVersions.read(modelPath)
        guard versions.all.isEmpty else { return versions }
        let isMissing = diagnostics.contains { $0.code == "file.missing" }
        throw RunFailure(
            isMissing ? .noInput : .configuration, diagnostics.filter { $0.severity == .error })
    }

    /// The way to the model, one step at least.
    private func steps(_ versions: ModelVersions) throws(RunFailure) -> [Step] {
        guard let last = versions.all.last else { return [] }
        guard let start = versions.place(ofStoreAt: store), start < versions.all.count - 1 else {
            // What is wrong with the store is told when it is migrated.
            let old = try? PersistentContainer.model(ofStoreAt: store)
            let label = old?.versionIdentifiers.first { !$0.isEmpty }
            return [try step(from: old == last.model ? nil : label, to: last)]
        }
        let route = versions.route(from: start) { from, to in
            isFile(path(from: versions.all[from].label, to: versions.all[to]))
        }
        var steps: [Step] = []
        var before = versions.all[start]
        for place in route {
            let version = versions.all[place]
            var step = try step(from: before.label, to: version)
            step.title = version.label.map { "version '\($0)'" } ?? "version \(place + 1)"
            step.start = before
            let last = steps.popLast()
            steps += merged(last, step, to: version)
            before = version
        }
        if steps.count == 1 { steps[0].title = nil }
        return steps
    }

    /// Two steps of which nothing is said as one, where that comes to the same; the first stays
    /// among the steps otherwise.
    private func merged(
        _ first: Step?, _ second: Step, to version: ModelVersions.Version
    ) -> [Step] {
        guard let first, let start = first.start else { return [second] }
        let between = first.between + [first.model]
        guard !first.isMapped, !second.isMapped,
            ModelChain([start.model] + between + [second.model]).isOneStep
        else { return [first, second] }
        var one = second
        one.start = start
        one.between = between
        one.mappingPath = path(from: start.label, to: version)
        return [one]
    }

    /// The step between two versions, with what is said of it beside the model.
    private func step(
        from label: String?, to version: ModelVersions.Version
    ) throws(RunFailure) -> Step {
        let path = path(from: label, to: version)
        var step = Step(model: version.model, mapping: MappingModel(), mappingPath: path)
        if let path, isFile(path) {
            let (mapping, diagnostics) = MappingFile.read(path, to: version.model)
            guard let mapping else { throw RunFailure(problems: diagnostics) }
            step.mapping = mapping
            step.isMapped = true
        }
        return step
    }

    private func path(from label: String?, to version: ModelVersions.Version) -> String? {
        MappingFile.path(beside: modelPath, from: label, to: version.label)
    }

    private func isFile(_ path: String?) -> Bool {
        path.map { FileManager.default.fileExists(atPath: $0) } ?? false
    }
}
