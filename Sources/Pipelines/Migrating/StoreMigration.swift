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
    private let ifLocked: RunOptions.LockedPolicy?
    private let waiting: StoreWait

    /// - Parameters:
    ///   - modelPath: the model that the store shall have.
    ///   - allowsCloudKit: also an app's store that the app mirrors to CloudKit.
    ///   - ifLocked: what to do while a run works on it, or another program has it locked.
    ///   - progress: shows how far it has come.
    ///   - interruption: stops it; the store is as it was then.
    package init(
        store: String, to modelPath: String, allowsCloudKit: Bool = false,
        ifLocked: RunOptions.LockedPolicy? = nil, progress: RunProgress,
        interruption: Interruption
    ) {
        self.ifLocked = ifLocked
        waiting = StoreWait(ifLocked, interruption)
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
        /// Which of the chain it is; nil where the store is of none of the older versions.
        fileprivate var stage: ModelHistory.Stage?
        fileprivate var model: ManagedObjectModel
        /// Where its mapping stands, or would.
        fileprivate var mappingPath: String?
        /// What is said of it; nil is nothing.
        fileprivate var mapping: MappingModel?
    }

    /// What would be done first, and the steps behind it, which can be told once it is done.
    package func plan() throws(RunFailure) -> (plan: MigrationPlan, steps: [Step]) {
        let versions = try versions()
        let steps = try steps(versions)
        do throws(StoreError) {
            let stage = steps[0].stage
            let manager =
                stage.map { chain(steps, versions).manager(for: $0) } ?? manager(steps[0], versions)
            return (try manager.plan(), steps)
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
        do throws(StoreError) {
            // Of which version it is cannot be seen before.
            try waiting.untilUnlocked(store)
        } catch {
            throw failure(error, at: nil, behind: nil)
        }
        // Another one may have been at work until now.
        let steps = try steps(versions)
        let cancellation = MigrationCancellation { [interruption] in interruption.signal != nil }
        func begin(_ step: Step, _ plan: MigrationPlan) {
            // Nobody else writes any more; who reads may take a while to let go of the store.
            waiting.noteBegin()
            planned(step, plan)
        }
        progress.begin(stage: "migrate \(PathText.lastComponent(store))", bytesTotal: 0)
        guard steps[0].stage != nil else {
            do throws(StoreError) {
                return try manager(steps[0], versions).migrate(
                    cancellation: cancellation, planned: { begin(steps[0], $0) }, report: show
                ).backupPath
            } catch {
                throw failure(error, at: steps[0], behind: nil)
            }
        }
        var chain = chain(steps, versions)
        var (now, done): (Step?, Step?) = (steps.first, nil)
        do throws(StoreError) {
            while let stage = try chain.next() {
                guard let step = steps.first(where: { $0.stage == stage }) else {
                    throw StoreError(
                        .internalError,
                        "The store wants a step from version \(stage.from + 1) to "
                            + "\(stage.to + 1), which was not planned")
                }
                now = step
                try chain.migrate(
                    stage, cancellation: cancellation, planned: { begin(step, $0) },
                    report: show)
                done = step
            }
        } catch {
            throw failure(error, at: now, behind: done)
        }
        return chain.backupPath
    }

    /// - Parameters:
    ///   - step: the one that failed.
    ///   - done: the last one that was done.
    private func failure(
        _ error: StoreError, at step: Step?, behind done: Step?
    ) -> RunFailure {
        var failure = RunFailure(error)
        let state = (done?.title).map { "the store came as far as \($0)" }
        if [.cancelled, .busy].contains(error.code), let reason = interruption.reason() {
            failure = Self.stopped(reason, state)
        } else if let state {
            failure = RunFailure(StoreError(error.code, "\(error.message) (\(state))"))
        }
        if error.code == .exists { failure.status = .cannotCreate }
        guard error.code == .needsMapping, let step else { return failure }
        return naming(step, in: failure)
    }

    /// - Parameter state: how far the store came; nil where it is as it was.
    private static func stopped(_ reason: StopReason, _ state: String?) -> RunFailure {
        RunFailure(
            reason.status, code: "run.interrupted",
            "The migration was stopped; \(state ?? "the store is as it was")")
    }

    private func lock() throws(RunFailure) -> StoreLock? {
        do {
            return try StoreLock.take(
                storePath: store, pipeline: "etl migrate",
                started: TimeText.iso(Date().timeIntervalSinceReferenceDate.rounded(.down)),
                ifLocked ?? .fail, interruption)
        } catch let stop as Interrupted {
            throw Self.stopped(stop.reason, nil)
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

    /// Brings a store that is of none of the older versions to the newest.
    private func manager(_ step: Step, _ versions: ModelVersions) -> MigrationManager {
        var manager = MigrationManager(
            storeAt: store, to: step.model, mapping: step.mapping ?? MappingModel())
        manager.versions = versions.history.versions
        manager.allowsCloudKit = allowsCloudKit
        manager.lockPatience = waiting.patience
        return manager
    }

    private func chain(_ steps: [Step], _ versions: ModelVersions) -> MigrationChain {
        var mappings: [ModelHistory.Stage: MappingModel] = [:]
        for step in steps {
            if let stage = step.stage { mappings[stage] = step.mapping }
        }
        var chain = MigrationChain(
            ofStoreAt: store, through: versions.history, mappings: mappings,
            allowsCloudKit: allowsCloudKit)
        chain.lockPatience = waiting.patience
        return chain
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
        let places = versions.all.indices
        var mapped: Set<ModelHistory.Stage> = []
        for from in places[start...] {
            for to in places[(from + 1)...]
            where isFile(path(from: versions.all[from].label, to: versions.all[to])) {
                mapped.insert(ModelHistory.Stage(from: from, to: to))
            }
        }
        var steps: [Step] = []
        for stage in versions.history.stages(from: start, mapped: mapped) {
            let version = versions.all[stage.to]
            var step = try step(from: versions.all[stage.from].label, to: version)
            step.stage = stage
            step.title = version.label.map { "version '\($0)'" } ?? "version \(stage.to + 1)"
            steps.append(step)
        }
        if steps.count == 1 { steps[0].title = nil }
        return steps
    }

    /// The step between two versions, with what is said of it beside the model.
    private func step(
        from label: String?, to version: ModelVersions.Version
    ) throws(RunFailure) -> Step {
        let path = path(from: label, to: version)
        var step = Step(model: version.model, mappingPath: path)
        if let path, isFile(path) {
            let (mapping, diagnostics) = MappingFile.read(path, to: version.model)
            guard let mapping else { throw RunFailure(problems: diagnostics) }
            step.mapping = mapping
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
