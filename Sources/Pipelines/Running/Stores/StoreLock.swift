import Diagnostics
import Dispatch
import Files
import GraphStore

/// A kernel lock next to a store that keeps two runs from using it concurrently.
///
/// It is released when its process ends.
final class StoreLock {
    private let descriptor: Int32
    /// Whether the file may be written and emptied.
    ///
    /// It may not if `init` failed, which also calls `deinit`.
    private var isHeld = false

    /// Takes the lock, and waits for it according to the policy.
    ///
    /// - Returns: `nil` if another run holds it and the policy is to skip this run.
    /// - Throws: `RunFailure` with status 75 if another run holds it; `Interrupted`.
    static func take(
        storePath: String, pipeline: String, started: String, _ policy: RunOptions.LockedPolicy,
        _ interruption: Interruption
    ) throws -> StoreLock? {
        try whenFree(policy, interruption) { () throws(RunFailure) in
            try StoreLock(storePath: storePath, pipeline: pipeline, started: started)
        }
    }

    /// Waits for the lock according to the policy, but does not take it.
    ///
    /// - Returns: `false` if another run holds it and the policy is to skip this run.
    /// - Throws: the same errors as `take`.
    static func isFree(
        storePath: String, _ policy: RunOptions.LockedPolicy, _ interruption: Interruption
    ) throws -> Bool {
        try whenFree(policy, interruption) { () throws(RunFailure) -> Void in
            if let holder = holder(of: storePath) { throw held(storePath, by: holder) }
        } != nil
    }

    /// Repeats an attempt to take the lock until it succeeds or the policy says to stop waiting.
    private static func whenFree<R>(
        _ policy: RunOptions.LockedPolicy, _ interruption: Interruption,
        _ attempt: () throws(RunFailure) -> R
    ) throws -> R? {
        var deadline: ContinuousClock.Instant?
        if case .wait(let seconds) = policy { deadline = .now + .seconds(seconds) }
        while true {
            do throws(RunFailure) {
                return try attempt()
            } catch {
                guard error.isLockHeld else { throw error }
                if policy == .skip { return nil }
                guard let deadline, ContinuousClock.now < deadline else { throw error }
            }
            try interruption.check()
            // No event signals that a lock is free, so poll.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(25))
        }
    }

    private static func held(_ storePath: String, by holder: String) -> RunFailure {
        held("Another run uses \(storePath): \(holder)")
    }

    private static func held(_ message: String) -> RunFailure {
        RunFailure(
            .temporaryFailure, code: RunFailure.lockHeld, message,
            fix: "wait until it ends; the lock ends with its process")
    }

    /// Locks the open file, or reports its holder.
    ///
    /// Until the holder has written its name, the file can contain the name of a killed process.
    /// Programs other than etl never write their name, and a process in another container is not
    /// visible. A process that only tests the lock holds it briefly, whatever the file contains.
    private static func lock(_ descriptor: Int32, _ storePath: String) throws(RunFailure) {
        var words = ""
        for attempt in 0..<attemptsMax {
            if FileSystem.lock(descriptor) { return }
            words = FileDescriptor.head(descriptor)
            if attempt > 0, let holder = Holder(words), SystemProcess.isRunning(holder.process) {
                throw held(storePath, by: words)
            }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2))
        }
        throw held(
            "Another process has locked \(storePath), and "
                + (words.isEmpty
                    ? "the lock file does not name it"
                    : "it is not visible from here; the lock file last named: \(words)"))
    }

    private static let attemptsMax = 10

    /// The text that a migration writes into the lock file instead of a pipeline's name.
    ///
    /// It contains a space, which no name of a pipeline does.
    static let migration = "etl migrate"
    /// The text that a removal of history writes into the lock file instead of a pipeline's name.
    static let purge = "history purge"

    /// The last process that took the lock and has not released it.
    struct Holder {
        /// The text that the process wrote:
        /// `pid 4711, pipeline nightly, since 2026-11-21T03:00:00Z`.
        let words: String
        let process: Int32
        /// The name of a spec or of another kind of work on the store.
        let pipeline: String
        let started: String
        /// Whether the process holds the lock; otherwise, it was killed, which leaves the text but
        /// releases the lock.
        var isAtWork = true
        /// Whether the process is or was a run, and not other work on the store.
        var isOfRun: Bool { ![StoreLock.migration, StoreLock.purge].contains(pipeline) }

        fileprivate init?(_ words: String) {
            guard let match = words.wholeMatch(of: #/pid (\d+), pipeline (.+), since (\S+)/#),
                let process = Int32(match.1)
            else { return nil }
            self.words = words
            self.process = process
            pipeline = String(match.2)
            started = String(match.3)
        }
    }

    /// Returns the text that the holder of the lock wrote; `nil` if the lock is free.
    static func holder(of storePath: String) -> String? {
        lastHolder(of: storePath).flatMap { $0.isAtWork ? $0.words : nil }
    }

    /// Returns the process that holds the lock or was killed while it held it; `nil` if the last
    /// one finished.
    static func lastHolder(of storePath: String) -> Holder? {
        let path = path(storePath)
        guard let words = FileDescriptor.head(ofFile: path), var holder = Holder(words) else {
            return nil
        }
        if SystemProcess.isRunning(holder.process) {
            let descriptor = FileDescriptor.openForLocking(path)
            guard descriptor >= 0 else { return holder }
            defer { FileSystem.close(descriptor) }
            guard FileSystem.lock(descriptor) else { return holder }
            FileSystem.unlock(descriptor)
            // The process has finished since, or its process ID now belongs to another process.
        }
        // Do not try the lock of a dead process: that could make a run that is starting fail.
        holder.isAtWork = false
        return FileDescriptor.head(ofFile: path) == words ? holder : nil
    }

    /// Returns whether a process has taken the lock at some time: its file stays.
    static func wasTaken(ofStore storePath: String) -> Bool {
        FileDescriptor.size(path(storePath)) != nil
    }

    /// Returns the path of the lock file, which is the same for all paths of the store.
    private static func path(_ storePath: String) -> String {
        CompanionFile.lock.path(
            of: FileDescriptor.resolved(storePath) ?? PersistentContainer.file(resolving: storePath)
        )
    }

    private init(storePath: String, pipeline: String, started: String) throws(RunFailure) {
        do throws(StoreError) {
            try PersistentContainer.checkPlace(storePath)
        } catch {
            throw RunFailure(error)
        }
        let path = Self.path(storePath)
        do throws(SystemFault) {
            descriptor = try FileSystem.createForLocking(path)
        } catch {
            throw RunFailure(
                Fault(.store, error.kind(else: .notCreated)), code: "lock.file",
                "The lock file \(path) cannot be created: \(error.text)",
                fix: error.isTooLong
                    ? "name a shorter path"
                    : "check that the store's folder exists and may be written")
        }
        try Self.lock(descriptor, storePath)
        isHeld = true
        FileDescriptor.rewrite(
            descriptor, "pid \(SystemProcess.number), pipeline \(pipeline), since \(started)")
    }

    deinit {
        if isHeld {
            FileDescriptor.rewrite(descriptor, "")
            // A starting child process shares the descriptor until `exec`, so closing it may keep
            // the lock.
            FileSystem.unlock(descriptor)
        }
        FileSystem.close(descriptor)
    }
}

extension RunFailure {
    fileprivate static let lockHeld = "lock.held"

    /// Whether another run holds the store's lock.
    var isLockHeld: Bool { diagnostics.contains { $0.code == Self.lockHeld } }
}
