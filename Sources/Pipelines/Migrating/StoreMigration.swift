import Diagnostics
import Files
import FoundationEssentials
import GraphModel
package import GraphStore
import XcodeModel

/// Brings a store to another version of its model: `etl migrate`.
package struct StoreMigration {
    /// The store as the user names it.
    let store: String
    /// The file that is migrated: the store, or a copy that is tried.
    private var file: String
    private let modelPath: String
    /// The model that the store is to have, if it is in no file; it differs by additions only.
    var extended: ManagedObjectModel?
    /// The pipeline whose unfinished run is discarded; `nil` keeps it, which stops the migration.
    var discardedRun: String?
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
        file = store
        self.modelPath = modelPath
        self.progress = progress
        self.interruption = interruption
    }

    /// One version after another that the store becomes.
    package struct Step {
        /// What it is called; nil where the store becomes what it shall be at once.
        package fileprivate(set) var title: String?
        /// The version after it, in words; `nil` if it has no name.
        fileprivate var target: String?
        /// Which of the chain it is; nil where the store is of none of the older versions.
        fileprivate var stage: ModelHistory.Stage?
        fileprivate var model: ManagedObjectModel
        /// What the store is before it, in words; `nil` if its version has no name.
        fileprivate var origin: String?
        /// Whether the store's version is later than the one that it is to have.
        fileprivate var isBackward = false
        /// The model before it; `nil` if it is not known.
        fileprivate var old: ManagedObjectModel?
        /// The file that has its mapping, or may have it.
        fileprivate var mappingPath: String?
        /// What is said of it; nil is nothing.
        fileprivate var mapping: MappingModel?
        /// The mapping model of the app that it uses.
        package fileprivate(set) var xcodeMapping: String?
        /// What that mapping model says, usable or not.
        fileprivate var translation: XcodeMappingTranslation?

        fileprivate var originText: String { origin.map { "version '\($0)'" } ?? "a version" }
        fileprivate var targetText: String { target ?? "the one that it is to have" }
    }

    /// Tells what `run` would do, and changes nothing.
    ///
    /// The first step is planned on the store as it stands. Where that does not tell whether all
    /// steps can be done, they are done on a copy in the folder for temporary files.
    ///
    /// - Parameter planned: gets each step with its plan.
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
            throw failure(error, at: steps[0], behind: nil)
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
            throw failure(copy.telling(error, of: store), at: now, behind: nil)
        }
    }

    /// The failure with the file in which a mapping is to be written.
    private func naming(_ step: Step, in failure: RunFailure) -> RunFailure {
        var failure = failure
        let fix: String
        if let path = step.mappingPath {
            let folder = PathText.folder(of: path)
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
        for place in failure.diagnostics.indices { failure.diagnostics[place].fix = fix }
        return failure
    }

    /// How to write the mapping file of a step.
    private func writing(_ path: String) -> String {
        "write \(path); `\(Self.command(store: store, to: modelPath)) --write-mapping"
            + " \(Self.word(path))` writes the start of it"
    }

    /// The failure with the mapping file that it is about.
    private func placing(
        _ failure: RunFailure, _ error: StoreError, _ step: Step
    ) -> RunFailure {
        guard error.code == .invalidRequest, step.mapping != nil else { return failure }
        var failure = failure
        let file = step.xcodeMapping ?? step.mappingPath
        for place in failure.diagnostics.indices where file != nil {
            failure.diagnostics[place].place = .file(file ?? "")
        }
        return failure
    }

    /// Stops before anything is written if a mapping model of the app cannot be used.
    private func requireUsable(_ steps: [Step]) throws(RunFailure) {
        for step in steps {
            guard var problems = step.translation?.problems, !problems.isEmpty else { continue }
            if let path = step.mappingPath {
                // Once for all of them.
                problems[problems.count - 1].fix = writing(path) + "; it replaces the mapping model"
            }
            throw RunFailure(problems: problems)
        }
    }

    /// Writes the start of the mapping file of the first step that needs one.
    ///
    /// - Returns: What was written, for the user.
    package func writeMapping(to file: String) throws(RunFailure) -> String {
        let versions = try versions()
        guard FileSystem.exists(store) else {
            throw RunFailure(StoreError(.missing, "\(store) does not exist"))
        }
        // It may be the mapping of a step, and not be finished.
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

    /// Migrates the store, which no run may use meanwhile.
    ///
    /// - Parameter planned: gets each step with its plan before anything of it is written.
    /// - Returns: where the old store is now; nil where there was nothing to do.
    package func run(planned: (Step, MigrationPlan) -> Void) throws(RunFailure) -> String? {
        // A model is told to be wrong before the store is looked at.
        let versions = try versions()
        guard FileSystem.exists(store) else {
            throw RunFailure(StoreError(.missing, "\(store) does not exist"))
        }
        // Also before the lock file is written; a run may change the store until it is taken.
        try requireUsable(try steps(versions))
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        do throws(StoreError) {
            // Of which version it is cannot be seen before.
            try waiting.untilUnlocked(store)
        } catch {
            throw failure(error, at: nil, behind: nil)
        }
        try discardRun()
        // Another one may have been at work until now.
        let steps = try steps(versions)
        try requireUsable(steps)
        progress.begin(stage: "migrate \(PathText.lastComponent(store))", bytesTotal: 0)
        var (now, done): (Step, Step?) = (steps[0], nil)
        do throws(StoreError) {
            let backup = try migrate(steps, versions, step: { (now, done) = ($0, $1) }) {
                // Nobody else writes any more; who reads may take a while to let go of the store.
                waiting.noteBegin()
                planned($0, $1)
            }
            removeOldBackups(madeNow: backup, now.model)
            return backup
        } catch {
            throw failure(error, at: now, behind: done)
        }
    }

    /// Does the steps, one after another.
    ///
    /// - Parameters:
    ///   - step: gets each step before it begins, and the one that was done before it.
    ///   - planned: gets each step with its plan before anything of it is written.
    /// - Returns: where the old store is now; nil where there was nothing to do.
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

    /// Removes old backups if a new one was made and the new store opens.
    ///
    /// The migration is done in any case; the next one tries to remove backups that stay.
    private func removeOldBackups(madeNow backup: String?, _ model: ManagedObjectModel) {
        guard backup != nil else { return }
        var options = StoreOptions()
        options.isReadOnly = true
        guard (try? PersistentContainer(model: model, .sqlite(at: store, options: options))) != nil
        else { return }
        try? StoreBackups(of: store).remove(allBut: StoreBackups.keepDefault)
    }

    /// - Parameters:
    ///   - step: the one that failed.
    ///   - done: the last one that was done.
    private func failure(
        _ error: StoreError, at step: Step?, behind done: Step?
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
        let state = (done?.title).map { "the store came as far as \($0)" }
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

    /// - Parameter state: how far the store came; nil where it is as it was.
    private static func stopped(_ reason: StopReason, _ state: String?) -> RunFailure {
        RunFailure(
            stopped: reason, code: "run.interrupted",
            "The migration was stopped; \(state ?? "the store is unchanged")")
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
        "etl migrate \(word(store)) --to \(word(file))"
    }

    /// A word of a shell command.
    private static func word(_ text: String) -> String {
        let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "/._-+@".contains($0) }
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }

    // MARK: Steps

    /// Brings a store that is of none of the older versions to the newest.
    private func manager(_ step: Step, _ versions: ModelVersions) -> MigrationManager {
        var manager = MigrationManager(
            storeAt: file, to: step.model, mapping: step.mapping ?? MappingModel())
        manager.versions = versions.known
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
            ofStoreAt: file, through: versions.history, mappings: mappings,
            allowsCloudKit: allowsCloudKit)
        chain.lockPatience = waiting.patience
        return chain
    }

    /// The versions of the model, one at least.
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

    /// The way to the model, one step at least.
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

    /// The version of a store that is of none of the older ones, and whether it is a later one.
    ///
    /// It is a later one of the bundle, or the model that the store carries; `nil` if it is the
    /// wanted one.
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

    /// The step between two versions, with its mapping: our file, or else the app's mapping model.
    private func step(
        from old: ModelVersions.Version?, to version: ModelVersions.Version,
        _ versions: ModelVersions, _ mappings: XcodeMappings
    ) throws(RunFailure) -> Step {
        let path = path(from: old?.label, to: version, versions)
        var step = Step(model: version.model, mappingPath: path)
        step.origin = old?.label
        step.old = old?.model
        step.target = version.label.map { "version '\($0)'" }
        if let path, isFile(path) {
            let (mapping, diagnostics) = MappingFile.read(
                path, from: old?.model, to: version.model)
            guard let mapping else { throw RunFailure(problems: diagnostics) }
            step.mapping = mapping
            return step
        }
        guard let old else { return step }
        guard let mapping = try mappings.mapping(from: old, to: version) else {
            // One of them may be the mapping of this step.
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
        MappingFile.path(beside: versions.path, from: label, to: version.label)
    }

    private func isFile(_ path: String?) -> Bool {
        path.map { FileSystem.exists($0) } ?? false
    }
}
