import Diagnostics
import Files
import FoundationEssentials
import GraphModel
package import GraphStore
import RecordStreams
import XcodeModel

/// Migrates a store to another version of its model: `etl migrate`.
package struct StoreMigration {
    /// The path of the store, as given by the user.
    let store: String
    /// The file to migrate: the store, or a copy for a rehearsal.
    private var file: String
    private let modelPath: String
    /// The target model, if it is not in a file; it differs only by additions.
    var extended: ManagedObjectModel?
    /// The owners of the unfinished runs that are discarded; any other run makes the migration
    /// fail.
    var discardedRuns: [String] = []
    private let progress: RunProgress
    private let interruption: Interruption
    private let allowsCloudKit: Bool
    private let ifLocked: RunOptions.LockedPolicy?
    private let storeWait: StoreWait

    /// Prepares a migration without opening the store.
    ///
    /// - Parameters:
    ///   - modelPath: the target model.
    ///   - allowsCloudKit: whether to migrate an app's store that the app mirrors to CloudKit.
    ///   - ifLocked: what to do if a run or another program has locked the store.
    ///   - progress: shows the progress.
    ///   - interruption: stops the migration, which leaves the store unchanged.
    package init(
        store: String, to modelPath: String, allowsCloudKit: Bool = false,
        ifLocked: RunOptions.LockedPolicy? = nil, progress: RunProgress,
        interruption: Interruption
    ) {
        self.ifLocked = ifLocked
        storeWait = StoreWait(ifLocked, interruption)
        self.allowsCloudKit = allowsCloudKit
        self.store = store
        file = store
        self.modelPath = modelPath
        self.progress = progress
        self.interruption = interruption
    }

    /// One step of a migration, to the next version.
    package struct Step {
        /// The title of the step; `nil` if a single step leads forward to the target.
        package fileprivate(set) var title: String?
        /// The name of the version after the step, for messages; `nil` if it has no name.
        fileprivate var target: String?
        /// The step in the chain of versions that are listed as history.
        ///
        /// It is `nil` if the store has none of these versions.
        fileprivate var stage: ModelHistory.Stage?
        fileprivate var model: ManagedObjectModel
        /// The name of the version before the step; `nil` if it has none.
        fileprivate var origin: String?
        /// Whether the store's version is later than the target version.
        fileprivate var isBackward = false
        /// The model before the step; `nil` if it is unknown.
        fileprivate var old: ManagedObjectModel?
        /// The path at which its mapping file is or can be.
        fileprivate var mappingPath: String?
        /// The mapping; `nil` if the step has no mapping.
        fileprivate var mapping: MappingModel?
        /// The app's mapping model that the step uses.
        package fileprivate(set) var xcodeMapping: String?
        /// The translation of the app's mapping model, even if the translation has problems.
        fileprivate var translation: XcodeMappingTranslation?

        fileprivate var originText: String { origin.map { "version '\($0)'" } ?? "a version" }
        fileprivate var targetText: String { target ?? "the one that it is to have" }
    }

    /// Reports what `run` would do, and changes nothing.
    ///
    /// The first step is planned on the store itself. If that does not show whether all steps can
    /// succeed, they run on a copy in the folder for temporary files.
    ///
    /// - Parameter planned: called with each step and its plan.
    package func rehearse(planned: (Step, MigrationPlan) -> Void) throws(RunFailure) {
        let versions = try versions()
        let steps = try steps(versions)
        try requireUsable(steps)
        let plan: MigrationPlan
        do throws(StoreError) {
            let stage = steps[0].stage
            let manager =
                stage.map { chain(steps, versions).manager(for: $0) } ?? manager(steps[0], versions)
            plan = try manager.plan()
            planned(steps[0], plan)
            if let refusal = plan.refusal(ofStoreAt: store) { throw refusal }
        } catch {
            throw failure(error, at: steps[0], after: nil)
        }
        guard !plan.isEmpty, plan.needsTrial || steps.count > 1 else { return }
        let copy: StoreRehearsal
        do throws(StoreError) {
            copy = try StoreRehearsal(of: store)
        } catch {
            throw RunFailure(error)
        }
        var trial = self
        trial.file = copy.path
        var isFirst = true
        var now = steps[0]
        do throws(StoreError) {
            _ = try trial.migrate(steps, versions, step: { step, _ in now = step }) { step, plan in
                if !isFirst { planned(step, plan) }
                isFirst = false
            }
        } catch {
            throw failure(copy.reporting(error, of: store), at: now, after: nil)
        }
    }

    /// Returns the failure with the file in which to write a mapping.
    private func naming(_ step: Step, in failure: RunFailure) -> RunFailure {
        let fix: String
        if let path = step.mappingPath {
            let folder = PathText.folder(of: path)
            // The list of other mappings is only a hint.
            let names = (try? FileSystem.textNames(in: folder)) ?? []
            let others = names.filter { $0.hasSuffix(".yaml") }.sorted()
            fix =
                isFile(path)
                ? "add it to \(path)"
                : writing(path)
                    + (others.isEmpty || step.isBackward
                        ? "" : "; the folder has \(others.joined(separator: ", "))")
        } else {
            fix =
                "give both models a `version`, and write migrations/OLD-NEW.yaml next to the new"
                + " model"
        }
        return failure.fixed(by: fix)
    }

    /// Returns how to write the mapping file of a step.
    private func writing(_ path: String) -> String {
        "write \(path); `\(ModelVersions.migration(of: store, to: modelPath)) --write-mapping"
            + " \(CommandExample.shell(path))` writes the start of it"
    }

    /// Returns the failure with the mapping file that has caused it.
    private func placing(
        _ failure: RunFailure, _ error: StoreError, _ step: Step
    ) -> RunFailure {
        guard error.code == .invalidRequest, step.mapping != nil,
            let file = step.xcodeMapping ?? step.mappingPath
        else { return failure }
        return failure.changing { $0.place = .file(file) }
    }

    /// Fails before any write if a mapping model of the app cannot be used.
    private func requireUsable(_ steps: [Step]) throws(RunFailure) {
        for step in steps {
            guard var problems = step.translation?.problems, !problems.isEmpty else { continue }
            if let path = step.mappingPath {
                // One fix for all of the problems.
                problems[problems.count - 1].fix = writing(path) + "; it replaces the mapping model"
            }
            throw RunFailure(problems: problems)
        }
    }

    /// Writes a draft of the mapping file for the first step that needs one.
    ///
    /// - Returns: a message for the user about what was written.
    package func writeMapping(to file: String) throws(RunFailure) -> String {
        let versions = try versions()
        guard FileSystem.exists(store) else {
            throw RunFailure(StoreError(.missing, "\(store) does not exist"))
        }
        // An existing file may be the unfinished mapping of a step.
        guard !FileSystem.exists(file) else {
            throw RunFailure(
                .cannotCreate, code: "file.exists", "\(file) exists already",
                fix: "choose another name, or remove it")
        }
        let steps = try steps(versions)
        let step =
            steps.first { $0.translation?.problems.isEmpty == false }
            ?? steps.first { $0.mapping == nil } ?? steps[0]
        guard let old = step.old else {
            throw RunFailure(
                .configuration, code: "mapping.old-model",
                "The model of \(store) is not known, so that its entities cannot be mapped")
        }
        guard old.versionHashes != step.model.versionHashes else {
            throw RunFailure(
                .configuration, code: "mapping.same-model",
                "\(store) has this model already, so that there is nothing to map")
        }
        let title =
            (step.origin.map { "from version '\($0)' " } ?? "")
            + "to \(step.target ?? PathText.lastComponent(versions.path))"
        let text = MappingDraft(from: old, to: step.model, step.translation).text(
            title: title, origin: step.xcodeMapping.map(PathText.lastComponent))
        do {
            try FileSystem.makeFolders(PathText.folder(of: file))
            try FileSystem.replace(file, with: Array(text.utf8))
        } catch {
            throw RunFailure(
                .cannotCreate, code: "file.write", "\(file) cannot be written: \(error)")
        }
        let note =
            step.mappingPath.map { $0 == file ? "" : "; etl reads it as \($0)" } ?? ""
        return "Wrote \(file), the start of the mapping \(title)\(note)"
    }

    /// Migrates the store, and locks out runs until it is finished.
    ///
    /// - Parameter planned: called with each step and its plan before the step writes anything.
    /// - Returns: the path of the old store; `nil` if there was nothing to do.
    package func run(planned: (Step, MigrationPlan) -> Void) throws(RunFailure) -> String? {
        // Report errors of a model before reading the store.
        let versions = try versions()
        guard FileSystem.exists(store) else {
            throw RunFailure(StoreError(.missing, "\(store) does not exist"))
        }
        // Check before the lock file is written; until the lock is taken, a run may change the
        // store.
        try requireUsable(try steps(versions))
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        do throws(StoreError) {
            // The version of a locked store cannot be read.
            try storeWait.untilUnlocked(store)
        } catch {
            throw failure(error, at: nil, after: nil)
        }
        try discardRuns()
        // Another process may have changed the store until now.
        let steps = try steps(versions)
        try requireUsable(steps)
        progress.begin(stage: "migrate \(PathText.lastComponent(store))", bytesTotal: 0)
        var (now, done): (Step, Step?) = (steps[0], nil)
        do throws(StoreError) {
            let backup = try migrate(steps, versions, step: { (now, done) = ($0, $1) }) {
                // No other process can write now; readers may take a while to close the store.
                storeWait.noteBegin()
                planned($0, $1)
            }
            removeOldBackups(madeNow: backup, now.model)
            return backup
        } catch {
            throw failure(error, at: now, after: done)
        }
    }

    /// Performs the steps in order.
    ///
    /// - Parameters:
    ///   - step: called before each step with the step and the previous one.
    ///   - planned: called with each step and its plan before the step writes anything.
    /// - Returns: the path of the old store; `nil` if there was nothing to do.
    private func migrate(
        _ steps: [Step], _ versions: ModelVersions, step: (Step, Step?) -> Void,
        planned: (Step, MigrationPlan) -> Void
    ) throws(StoreError) -> String? {
        let cancellation = MigrationCancellation { [interruption] in interruption.signal != nil }
        guard steps[0].stage != nil else {
            return try manager(steps[0], versions).migrate(
                cancellation: cancellation, planned: { planned(steps[0], $0) }, report: show
            ).backupPath
        }
        var chain = chain(steps, versions)
        var done: Step?
        while let stage = try chain.next() {
            guard let next = steps.first(where: { $0.stage == stage }) else {
                throw StoreError(
                    .internalError,
                    "The store wants a step from version \(stage.from + 1) to "
                        + "\(stage.to + 1), which was not planned")
            }
            step(next, done)
            try chain.migrate(
                stage, cancellation: cancellation, planned: { planned(next, $0) }, report: show)
            done = next
        }
        return chain.backupPath
    }

    /// Removes old backups if a new one was created and the new store opens.
    ///
    /// The migration has succeeded in any case; the next one retries the removal.
    private func removeOldBackups(madeNow backup: String?, _ model: ManagedObjectModel) {
        guard backup != nil else { return }
        var options = StoreOptions()
        options.isReadOnly = true
        // A new store that does not open leaves all backups, and the next command reports why.
        guard (try? PersistentContainer(model: model, .sqlite(at: store, options: options))) != nil
        else { return }
        try? StoreBackups(of: store).remove(allBut: StoreBackups.keepDefault)
    }

    /// Returns the failure to report for an error of a step, with a fix that fits the step.
    ///
    /// - Parameters:
    ///   - step: the step that failed.
    ///   - done: the last step that succeeded.
    private func failure(
        _ error: StoreError, at step: Step?, after done: Step?
    ) -> RunFailure {
        var error = error
        let refused = "\(store) cannot be migrated"
        if let step, step.isBackward, error.message.hasPrefix(refused) {
            error = StoreError(
                error.code,
                "\(store) has \(step.originText), which is later than \(step.targetText), and cannot"
                    + " be migrated back" + error.message.dropFirst(refused.count))
        }
        var failure = RunFailure(error)
        let state = (done?.title).map { "the store is now at \($0)" }
        if [.cancelled, .busy].contains(error.code), let reason = interruption.reason() {
            failure = Self.stopped(reason, state)
        } else if let state {
            failure = RunFailure(StoreError(error.code, "\(error.message) (\(state))"))
        }
        if error.code == .exists { failure.fault = .cannotCreate }
        guard let step else { return failure }
        return error.code == .needsMapping
            ? naming(step, in: failure) : placing(failure, error, step)
    }

    /// Returns the failure of a migration that a signal or a time limit has stopped.
    ///
    /// - Parameter state: the progress of the store; `nil` if it is unchanged.
    private static func stopped(_ reason: StopReason, _ state: String?) -> RunFailure {
        RunFailure(
            stopped: reason, code: "run.interrupted",
            "The migration was stopped; \(state ?? "the store is unchanged")")
    }

    private func lock() throws(RunFailure) -> StoreLock? {
        do {
            return try StoreLock.take(
                storePath: store, pipeline: StoreLock.migration,
                started: ScalarText.isoDate(Date().timeIntervalSinceReferenceDate.rounded(.down)),
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

    // MARK: Steps

    /// Returns the manager that migrates a store with none of the older versions to the newest one.
    private func manager(_ step: Step, _ versions: ModelVersions) -> MigrationManager {
        var manager = MigrationManager(
            storeAt: file, to: step.model, mapping: step.mapping ?? MappingModel())
        manager.versions = versions.known
        manager.allowsCloudKit = allowsCloudKit
        manager.lockPatience = storeWait.patience
        return manager
    }

    private func chain(_ steps: [Step], _ versions: ModelVersions) -> MigrationChain {
        var mappings: [ModelHistory.Stage: MappingModel] = [:]
        for step in steps {
            if let stage = step.stage { mappings[stage] = step.mapping }
        }
        var chain = MigrationChain(
            ofStoreAt: file, through: versions.history, mappings: mappings,
            allowsCloudKit: allowsCloudKit)
        chain.lockPatience = storeWait.patience
        return chain
    }

    /// Returns the versions of the model, at least one.
    private func versions() throws(RunFailure) -> ModelVersions {
        if let extended {
            return ModelVersions(all: [ModelVersions.Version(model: extended)], path: store)
        }
        let (versions, diagnostics) = ModelVersions.read(modelPath)
        guard versions.all.isEmpty else { return versions }
        let isMissing = diagnostics.contains { $0.code == "file.missing" }
        throw RunFailure(
            isMissing ? .noInput : .configuration, diagnostics.filter { $0.severity == .error })
    }

    /// Returns the steps to the target model, at least one.
    private func steps(_ versions: ModelVersions) throws(RunFailure) -> [Step] {
        guard let last = versions.all.last else { return [] }
        if extended != nil { return [Step(model: last.model)] }
        let mappings = XcodeMappings(near: versions.path)
        guard let start = versions.place(ofStoreAt: store), start < versions.all.count - 1 else {
            let (origin, isLater) = origin(versions, last)
            var step = try step(from: origin, to: last, versions, mappings)
            step.isBackward = isLater
            if isLater {
                step.title = "\(step.targetText), back from \(step.originText) of the store"
            }
            return [step]
        }
        let places = versions.all.indices
        var mapped: Set<ModelHistory.Stage> = []
        for from in places[start...] {
            for to in places[(from + 1)...] {
                let (old, new) = (versions.all[from], versions.all[to])
                var isMapped = isFile(path(from: old.label, to: new, versions))
                if !isMapped { isMapped = try mappings.mapping(from: old, to: new) != nil }
                if isMapped { mapped.insert(ModelHistory.Stage(from: from, to: to)) }
            }
        }
        var steps: [Step] = []
        for stage in versions.history.stages(from: start, mapped: mapped) {
            var step = try step(
                from: versions.all[stage.from], to: versions.all[stage.to], versions, mappings)
            step.stage = stage
            step.title = step.target ?? "version \(stage.to + 1)"
            steps.append(step)
        }
        if steps.count == 1 { steps[0].title = nil }
        return steps
    }

    /// Returns the version of a store that has none of the older versions, and whether it is a
    /// later one.
    ///
    /// The version is a later one of the bundle, or the model that the store contains; `nil` if it
    /// is the target version.
    private func origin(
        _ versions: ModelVersions, _ last: ModelVersions.Version
    ) -> (version: ModelVersions.Version?, isLater: Bool) {
        // The migration itself reports a store that cannot be read.
        let later = ModelHistory(versions.later.map(\.model))
        if !later.versions.isEmpty, let place = (try? later.versionIndex(ofStoreAt: store)) ?? nil {
            return (versions.later[place], true)
        }
        guard let model = try? PersistentContainer.model(ofStoreAt: store), model != last.model
        else { return (nil, false) }
        let label = model.versionIdentifiers.first { !$0.isEmpty }
        return (ModelVersions.Version(label: label, model: model), false)
    }

    /// Returns the step between two versions with its mapping: the mapping file, or otherwise the
    /// app's mapping model.
    private func step(
        from old: ModelVersions.Version?, to version: ModelVersions.Version,
        _ versions: ModelVersions, _ mappings: XcodeMappings
    ) throws(RunFailure) -> Step {
        let path = path(from: old?.label, to: version, versions)
        var step = Step(model: version.model, mappingPath: path)
        step.origin = old?.label
        step.old = old?.model
        step.target = version.label.map { "version '\($0)'" }
        guard let old else { return step }
        if let path, isFile(path) {
            let (mapping, diagnostics) = MappingFile.read(
                path, from: old.model, to: version.model)
            guard let mapping else { throw RunFailure(problems: diagnostics) }
            step.mapping = mapping
            return step
        }
        guard let mapping = try mappings.mapping(from: old, to: version) else {
            // One of the unreadable mapping models may be the one of this step.
            guard mappings.problems.isEmpty else { throw RunFailure(problems: mappings.problems) }
            return step
        }
        let translation = XcodeMappingTranslation(mapping, from: old.model, to: version.model)
        step.translation = translation
        step.xcodeMapping = mapping.folder
        step.mapping = MappingModel(translation.entities)
        return step
    }

    private func path(
        from label: String?, to version: ModelVersions.Version, _ versions: ModelVersions
    ) -> String? {
        MappingFile.path(nextTo: versions.path, from: label, to: version.label)
    }

    private func isFile(_ path: String?) -> Bool {
        path.map { FileSystem.exists($0) } ?? false
    }
}
