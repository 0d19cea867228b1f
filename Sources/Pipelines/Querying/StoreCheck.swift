package import Diagnostics
import Files
import FoundationEssentials
package import GraphModel
package import GraphStore

/// Verifies a store, or recovers what can be read of it: `etl verify`.
package struct StoreCheck: Sendable {
    /// The result of a verification or repair.
    package struct Answer: Sendable {
        /// The verified store, or the new one after a repair.
        package var store: String
        /// The number of recovered objects by entity; `nil` if the check was not a repair.
        package var objects: [String: Int]?
        /// The losses of a repair.
        package var losses: [StoreFinding] = []
        /// The problems found.
        package var findings: [StoreFinding] = []
        /// Whether the model is known.
        package var knowsModel = true
        /// Remarks about a store that an app created; they are not problems.
        package var remarks: [String] = []
        /// The file of the model that the store should have; `nil` if not given.
        package var modelFile: String?
        /// The kind of the file if it never was a store, such as `an empty file`; `nil` otherwise.
        package var otherKind: String?

        /// Whether there are no problems and no losses.
        package var isGood: Bool { losses.isEmpty && findings.isEmpty }

        /// The result in one line.
        package var summary: String {
            if let objects {
                let saved = ReportNumbers.several(objects.values.reduce(0, +), "object")
                let lost = losses.isEmpty ? "nothing was lost" : "see what was lost"
                return "\(saved) saved to \(store); \(lost)"
            }
            guard isGood else {
                return "\(store): \(ReportNumbers.several(findings.count, "finding"))"
            }
            return "\(store) is valid" + (knowsModel ? "" : ", but its objects were not checked")
        }

        /// The fix for the problems, if a repair can correct some of them.
        package var hint: String? {
            guard objects == nil else { return nil }
            if let otherKind { return "\(store) is \(otherKind); name a store" }
            guard findings.contains(where: \.isMendable) else {
                guard let modelFile, findings.contains(where: { $0.kind == .hash }) else {
                    return nil
                }
                return ModelVersions.advice(forStoreAt: store, bundle: modelFile, key: "--model ")
                    .map { "To verify all of the store, \($0)" }
            }
            let model = knowsModel ? "" : " --model MODEL"
            return "`etl verify \(store) --repair NEW\(model)` recovers what can be read into a new"
                + " store and repairs what it can; this store stays unchanged"
        }

        /// The reason why the verification is incomplete.
        package var warning: Diagnostic? {
            guard !knowsModel, otherKind == nil else { return nil }
            return Diagnostic(
                .warning, code: "store.no-model",
                "The store carries no model that can be read, so its objects were not checked",
                at: .file(store), fix: "give its model with --model")
        }
    }

    private let store: String
    private let model: ManagedObjectModel?
    private let modelFile: String?
    private let isQuick: Bool

    /// Prepares the verification or the repair of a store.
    ///
    /// - Parameters:
    ///   - model: the model that the store should have; `nil` uses the store's own model.
    ///   - modelFile: the file of that model.
    package init(
        store: String, model: ManagedObjectModel?, modelFile: String? = nil, isQuick: Bool = false
    ) {
        self.store = store
        self.model = model
        self.modelFile = modelFile
        self.isQuick = isQuick
    }

    /// Rejects a model or a spec, because a store is expected.
    private func checkKind() throws(RunFailure) {
        guard ModelSource.canWrite(store) || store.hasSuffix(".momd") || store.hasSuffix(".mom"),
            FileSystem.exists(store), !ModelSource.isStore(store)
        else { return }
        throw RunFailure(
            .usage, code: "usage.store", "\(store) is a model or a spec, not a store",
            fix: "name the store, as in `etl verify STORE --model \(store)`; "
                + "`etl model show \(store)` shows a model, `etl check \(store)` checks a spec")
    }

    /// Returns what the file is, if it never was a store: an empty file, text, or a database of
    /// another program.
    private func otherKind() -> String? {
        // A file that cannot be read is not identified.
        guard FileSystem.exists(store), let head = FileDescriptor.head(ofFile: store) else {
            return nil
        }
        if head.isEmpty { return "an empty file" }
        guard ModelSource.isStore(store) else { return Self.isText(head) ? "a text file" : nil }
        return StoreVerification.tables(ofOtherDatabase: store).map { names in
            let list = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", …" : "")
            return names.isEmpty
                ? "an SQLite database without tables"
                : "an SQLite database of another program, with the "
                    + "\(names.count == 1 ? "table" : "tables") \(list)"
        }
    }

    /// Returns whether the first bytes of a file are text; the last character may be incomplete.
    private static func isText(_ head: String) -> Bool {
        head.unicodeScalars.dropLast(3).allSatisfy { scalar in
            "\n\r\t\u{C}\u{FEFF}".unicodeScalars.contains(scalar)
                || scalar != "\u{FFFD}" && !OutputText.isControl(scalar)
        }
    }

    /// Verifies the store.
    package func verify() throws(RunFailure) -> Answer {
        try checkKind()
        do throws(StoreError) {
            let found = try PersistentContainer.verify(
                at: store, isQuick ? .quick : .full, model: model)
            return Answer(
                store: store, findings: found.findings, knowsModel: found.knowsModel,
                remarks: found.remarks, modelFile: modelFile,
                otherKind: found.findings.isEmpty ? nil : otherKind())
        } catch {
            throw failure(error)
        }
    }

    /// Recovers what can be read into a new store.
    package func repair(to path: String) throws(RunFailure) -> Answer {
        try checkKind()
        do throws(StoreError) {
            let salvage = try PersistentContainer.salvage(at: store, to: path, model: model)
            return Answer(
                store: path, objects: salvage.objects, losses: salvage.losses,
                findings: salvage.remaining)
        } catch {
            var failure = failure(error)
            // The old store exists, so the folder of the new one is missing.
            if error.code == .missing, FileSystem.exists(store) {
                failure.fault = .cannotCreate
            }
            throw failure
        }
    }

    private func failure(_ error: StoreError) -> RunFailure {
        var failure = RunFailure(error)
        if error.code == .exists { failure.fault = .cannotCreate }
        if [.noModel, .corrupt].contains(error.code), let otherKind = otherKind() {
            return failure.changing {
                $0.code = "store.not-a-store"
                $0.message = "\(store) is \(otherKind), not a store"
                $0.fix = "name a store"
            }
        }
        let fix: String? =
            switch error.code {
            case .exists: "name a file that does not exist"
            case .noModel: "give the store's model with --model"
            case .corrupt where model == nil:
                "give the store's model with --model; if that does not help, restore a backup"
            case .corrupt: "the file cannot be read without its beginning; restore a backup"
            case .modelMismatch:
                modelFile.flatMap {
                    ModelVersions.advice(forStoreAt: store, bundle: $0, key: "--model ")
                }
            case .busy, .permission, .full, .encoding: failure.diagnostics.first?.fix
            default: nil
            }
        return failure.fixed(by: fix)
    }

    /// Returns the result as lines or as one JSON object; without problems, there are no lines.
    package func text(_ answer: Answer, json: Bool) throws(RunFailure) -> String {
        guard json else {
            let lines =
                answer.losses.map { "lost: \($0)" }
                + answer.findings.map { answer.objects == nil ? "\($0)" : "wrong: \($0)" }
                + answer.remarks.map { "remark: \($0)" }
            return lines.map { OutputText($0).text + "\n" }.joined()
        }
        struct Report: Encodable {
            var store: String
            var sound: Bool
            /// Whether the objects were also verified.
            var complete: Bool
            var findings: [StoreFinding]
            var remarks: [String]
            var lost: [StoreFinding]?
            var objects: [String: Int]?
        }
        let report = Report(
            store: answer.store, sound: answer.findings.isEmpty, complete: answer.knowsModel,
            findings: answer.findings, remarks: answer.remarks,
            lost: answer.objects == nil ? nil : answer.losses, objects: answer.objects)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
        } catch {
            throw RunFailure(error)
        }
    }
}

extension StoreFinding {
    /// Whether a repair corrects the problem, or leaves out the affected data.
    ///
    /// A repair does not change values.
    fileprivate var isMendable: Bool {
        switch kind {
        case .file, .structure, .metadata, .counter, .entity, .version, .unique, .dangling,
            .inverse, .order, .pair, .externalMissing:
            true
        case .hash, .required, .value, .rule, .externalOrphan, .history, .pending, .folded: false
        }
    }
}
