package import Diagnostics
import Files
import GraphModel
package import GraphStore
package import RecordStreams

/// The reason why a run ended early: the diagnostics for the user and the exit status.
package struct RunFailure: Error, Sendable {
    /// The origin and kind of the fault.
    package var fault: Fault
    /// The diagnostics for the user.
    package var diagnostics: [Diagnostic]
    /// The signal or limit that ended the run.
    private var stopReason: StopReason?

    /// The exit status of the process.
    package var status: ExitStatus { stopReason?.status ?? ExitStatus(fault) }

    /// Creates a failure with the diagnostics to print.
    ///
    /// - Parameter fault: the origin and kind of the fault, unless the diagnostics state their own.
    package init(_ fault: Fault, _ diagnostics: [Diagnostic]) {
        let faults = diagnostics.compactMap(\.fault)
        let isUsage =
            !faults.isEmpty && faults.count == diagnostics.count
            && faults.allSatisfy { $0 == Fault.usage }
        self.fault = isUsage ? .usage : .deciding(among: faults) ?? fault
        self.diagnostics = diagnostics
    }

    /// Creates the failure with a single diagnostic.
    package init(
        _ fault: Fault, code: String, _ message: String, at place: Diagnostic.Place = .nowhere,
        fix: String? = nil
    ) {
        self.init(fault, [Diagnostic(code: code, message, at: place, fix: fix)])
    }

    /// Creates the failure of a run that a signal or limit ended.
    init(stopped reason: StopReason, code: String, _ message: String) {
        self.init(.software, code: code, message)
        stopReason = reason
    }

    /// The failure of a run whose notes in the store are damaged, so that it cannot resume.
    static var damagedNotes: RunFailure {
        RunFailure(
            .dataError, code: "run.cannot-resume",
            "The notes of an unfinished run in the store are damaged",
            fix: "start over with --restart")
    }

    /// Creates the failure for an error of the store, with a fix if one is known for its code.
    package init(_ error: StoreError) {
        guard !error.isOfDamagedNotes else {
            self = .damagedNotes
            return
        }
        let fix: String? =
            switch error.code {
            case .tooMany: "narrow `where`, or raise `at-most`"
            case .corrupt where error.isTruncated:
                "restore a backup, or recover the readable data with"
                    + " `etl verify STORE --repair NEW`"
            case .corrupt where error.isOfDamagedLog:
                "`etl verify STORE --repair NEW` saves what can be read, with the log's changes;"
                    + " to use the state without the log, move the log to another folder"
            case .encoding:
                "recreate the store in UTF-8, and replace STORE with NEW:"
                    + " (echo 'PRAGMA auto_vacuum = 2;'; sqlite3 STORE .dump) | sqlite3 NEW"
            case .full: "free disk space and run again; the run resumes where it stopped"
            case .inputOutput: "check the disk and its free space"
            case .busy where error.isUnfinishedLoad:
                "run the spec or repeat the import, which completes it; opening the store for "
                    + "writing also completes it"
            case .busy where error.isWrittenMeanwhile:
                "run it again; it starts over with the current store"
            case .busy: "try again when the other process has finished"
            case .permission where error.foreignLog?.holdsChanges == true:
                "another user's program left this file, and its changes are in no other file: "
                    + "give this user write permission for it"
            case .permission where error.foreignLog != nil:
                "another user's program left this file; remove it when no program has the store "
                    + "open, or give this user write permission for it"
            case .permission: "give this user write permission for the store and its folder"
            case .modelMismatch where error.messageForCommands != error.message:
                "bring the store to the model: etl migrate STORE --to MODEL"
            case .resources: "raise the limits on memory, threads, or open files, and run again"
            default: nil
            }
        self.init(
            error.fault,
            [
                Diagnostic(
                    code: "store.\(error.code.rawValue)", error.messageForCommands, fix: fix)
            ])
    }

    /// Creates the failure for an error of reading or writing records, with its diagnostic.
    package init(_ error: RecordStreamError) {
        self.init(error.fault, [error.diagnostic])
    }

    /// Returns the failure with this fix instead of those of its diagnostics.
    func fixed(by fix: String?) -> RunFailure {
        changing { $0.fix = fix }
    }

    /// Returns the failure with each of its diagnostics changed.
    func changing(_ change: (inout Diagnostic) -> Void) -> RunFailure {
        var failure = self
        for place in failure.diagnostics.indices { change(&failure.diagnostics[place]) }
        return failure
    }

    /// Returns the failure with the store's name, if SQLite reports damage without it.
    func naming(store path: String) -> RunFailure {
        // If the store does not exist yet, its template is damaged.
        guard FileSystem.exists(path) else { return self }
        let name = PathText.lastComponent(path)
        return changing { diagnostic in
            guard diagnostic.code == "store.corrupt", diagnostic.fix == nil,
                !diagnostic.message.contains(name)
            else { return }
            diagnostic.message = "\(path) is damaged: \(diagnostic.message)"
            diagnostic.fix =
                "see `etl verify \(path)`; `etl verify \(path) --repair NEW` saves what can be read"
        }
    }

    /// Creates the failure of a run that cannot begin because its spec or a file in it is invalid.
    package init(problems: [Diagnostic]) {
        self.init(.configuration, problems)
    }

    /// Creates the failure for any error, and adds the location of the stage that it ended.
    init(_ error: any Error, stage: StagePlace? = nil) {
        switch error {
        case let failure as RunFailure: self = failure
        case let error as StoreError: self.init(error)
        case let error as RecordStreamError: self.init(error)
        case let error as ThreadShortage:
            self.init(
                error.fault, code: "system.resources",
                "No thread can be started: \(error.reason)",
                fix: "raise the limit on processes and threads (`ulimit -u`), and run again")
        case let error as GraphPredicateError:
            self.init(.configuration, [Diagnostic(predicateError: error)])
        case let diagnostic as Diagnostic: self.init(.configuration, [diagnostic])
        default: self.init(.software, code: "internal", "\(error)")
        }
        guard let stage else { return }
        self = changing { $0.stage = $0.stage ?? stage }
    }
}
