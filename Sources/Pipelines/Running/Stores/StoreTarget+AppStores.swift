import Diagnostics
import GraphModel
import GraphStore

/// Support for stores that apps created.
extension StoreTarget {
    /// Returns whether the store is an app's, or will be created as a copy of one.
    static func isOfApp(
        _ path: String, _ mode: StoreSpec.OpenMode, template: String?
    ) -> Bool {
        let isThere = FileDescriptor.size(path) ?? 0 > 0
        if mode != .replace, isThere { return PersistentContainer.isAppStore(at: path) }
        return template.map { PersistentContainer.isAppStore(at: $0) } ?? false
    }

    /// Rejects settings of the spec that only the app may choose.
    static func checkAppSettings(_ spec: PipelineSpec) throws(RunFailure) {
        let setting: String? =
            if spec.store.history != nil {
                "store.history"
            } else if spec.store.keepsExactDecimals != nil {
                "store.exact-decimals"
            } else if spec.store.hasViews == true {
                "store.views"
            } else {
                nil
            }
        guard let setting else { return }
        throw RunFailure(
            .configuration, code: "store.app-setting",
            "The store is an app's, in which `\(setting)` would leave what the app does not"
                + " know",
            at: .source(spec.store.location),
            fix: "leave `\(setting)` out")
    }

    /// Replaces an app's store with the closed working copy, after checking that the copy is as
    /// consistent as the store.
    ///
    /// - Parameters:
    ///   - notes: the notes of the run; if it is killed after this, they are next to the store.
    ///   - model: the model of the spec.
    /// - Returns: the path of the backup; `nil` if the store did not exist.
    mutating func completeOfApp(
        _ notes: RunJournal.Saved, _ model: ManagedObjectModel?
    ) throws -> String? {
        try InputMemory.keep(of: workPath, nextToStoreAt: path)
        try PersistentContainer.removeNotes(at: workPath)
        if let original = appStoreLock == nil ? template : path {
            try ExternalFiles.removeReleased(ofCopyAt: workPath, of: original, model: model)
        }
        try checkSoundness(model)
        try CompletionNote.write(notes, of: workPath, nextTo: path)
        defer { endWatch() }
        let backup: String?
        do {
            backup = try appStoreLock?.complete(model)
            if backup == nil { try complete() }
        } catch {
            // The store is unchanged.
            CompletionNote.remove(nextTo: path)
            try? InputMemory.forget(ofStoreAt: path)
            throw error
        }
        try InputMemory.confirm(ofStoreAt: path)
        return backup
    }

    /// Keeps the store unchanged, because the run has changed nothing in its copy.
    mutating func leave() throws {
        if isOfApp {
            try InputMemory.keep(of: workPath, nextToStoreAt: path)
            try InputMemory.confirm(ofStoreAt: path)
        }
        abandon()
    }

    /// Checks that the run has not violated the rules of the format, which would be an error in
    /// etl.
    private func checkSoundness(_ model: ManagedObjectModel?) throws {
        let found = try findings(workPath, model)
        // A disk that fails temporarily is not damage.
        if found.contains(where: { $0.kind == .file }), try findings(workPath, model) != found {
            throw StoreError(.inputOutput, "The copy of \(path) cannot be read to the end")
        }
        guard !found.isEmpty else { return }
        let origin = appStoreLock == nil ? template : path
        func new(since earlier: [StoreFinding]) -> [StoreFinding] {
            var before: [String: Int] = [:]
            for finding in earlier { before[Self.kind(of: finding), default: 0] += finding.count }
            return found.filter { $0.count > before[Self.kind(of: $0), default: 0] }
        }
        let earlier = try origin.map { try findings($0, model) } ?? []
        guard let origin, !new(since: earlier).isEmpty else {
            return try reject(new(since: earlier))
        }
        // A disk that fails temporarily is not damage that the run has caused.
        let again = try findings(origin, model)
        let isDamaged = again.contains { $0.kind == .file } && !found.contains { $0.kind == .file }
        guard again == earlier, !isDamaged else {
            throw StoreError(.inputOutput, "\(origin) cannot be read to the end")
        }
        try reject(new(since: again))
    }

    private func reject(_ new: [StoreFinding]) throws(RunFailure) {
        guard !new.isEmpty else { return }
        throw RunFailure(
            .software,
            new.map { finding in
                Diagnostic(
                    code: "store.unsound",
                    "The copy of the store that was written is not sound, and was thrown away: "
                        + "\(finding)",
                    fix: "report this as a bug; the store is unchanged")
            })
    }

    /// Returns the problems of a store, except those that stages are allowed to leave.
    private func findings(
        _ path: String, _ model: ManagedObjectModel?
    ) throws(StoreError) -> [StoreFinding] {
        var chosen: Set<StoreFinding.Kind> = [.rule, .required]
        if leavesLooseLinks { chosen.formUnion([.dangling, .pair, .inverse]) }
        let verification = try PersistentContainer.verify(at: path, .full, model: model)
        return verification.findings.filter { !chosen.contains($0.kind) }
    }

    private static func kind(of finding: StoreFinding) -> String {
        let words = [finding.kind.rawValue, finding.entity, finding.property]
        // For the file itself, each message is a different problem; folders have their own names.
        let isOfFile = finding.entity == nil && finding.kind != .externalOrphan
        let message = isOfFile ? finding.message : nil
        return (words + [message]).map { $0 ?? "" }.joined(separator: " ")
    }
}

extension Stage {
    /// Whether a stage of this kind deletes objects without clearing the links to them.
    var leavesLooseLinks: Bool {
        (kind as? DeleteSpec)?.extent.rules == .ignore
    }
}
