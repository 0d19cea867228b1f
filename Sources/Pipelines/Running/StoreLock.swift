import Diagnostics
import Dispatch
import Files
import GraphStore

/// Keeps two runs off one store: a kernel lock beside it, which dies with its process.
final class StoreLock {
    private let descriptor: Int32
    /// The file is ours to write to and to empty; it is not after a refused `init`, which ends in
    /// `deinit`, too.
    private var isHeld = false

    /// Takes the lock, as far as that is to be tried.
    ///
    /// - Returns: nil where another run holds it and this one is to be skipped then.
    /// - Throws: `RunFailure` with status 75 where another run holds it; `Interrupted`.
    static func take(
        storePath: String, pipeline: String, started: String, _ policy: RunOptions.LockedPolicy,
        _ interruption: Interruption
    ) throws -> StoreLock? {
        try whenFree(policy, interruption) { () throws(RunFailure) in
            try StoreLock(storePath: storePath, pipeline: pipeline, started: started)
        }
    }

    /// Waits for the lock as far as that is to be tried, and leaves it alone.
    ///
    /// - Returns: false where another run holds it and this one is to be skipped then.
    /// - Throws: as `take`.
    static func isFree(
        storePath: String, _ policy: RunOptions.LockedPolicy, _ interruption: Interruption
    ) throws -> Bool {
        try whenFree(policy, interruption) { () throws(RunFailure) -> Void in
            if let holder = holder(of: storePath) { throw held(storePath, by: holder) }
        } != nil
    }

    /// Tries until the lock is had, or as the policy says.
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
            // Nobody tells when a lock is free.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(25))
        }
    }

    private static func held(_ storePath: String, by holder: String) -> RunFailure {
        held("Another run works on \(storePath): \(holder)")
    }

    private static func held(_ message: String) -> RunFailure {
        RunFailure(
            .temporaryFailure, code: RunFailure.lockHeld, message,
            fix: "wait until it ends; the lock ends with its process")
    }

    /// Takes the lock of the open file, or tells who has it.
    ///
    /// Until they say so, the words of one who was killed may stand there; a program of another
    /// kind never does, and the process of another container cannot be seen. Who only looks
    /// whether a run is at work has it for less than a moment, whatever words are there.
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

    /// Who took the lock last, and has not given it back.
    struct Holder {
        /// As they said themselves: `pid 4711, pipeline nightly, since 2026-11-21T03:00:00Z`.
        let words: String
        let process: Int32
        /// The name of a spec, or what else works on stores.
        let pipeline: String
        let started: String
        /// It has the lock; else it was killed, which left its words, but not its lock.
        var isAtWork = true

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

    /// Who holds the lock, as they said themselves; nil where nobody does.
    static func holder(of storePath: String) -> String? {
        lastHolder(of: storePath).flatMap { $0.isAtWork ? $0.words : nil }
    }

    /// Who holds the lock, or held it until their death; nil where the last one came to its end.
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
            // Its number is another process's by now, or it has come to its end since.
        }
        // The lock of who is gone is not tried, which would keep out a run that begins meanwhile.
        holder.isAtWork = false
        return FileDescriptor.head(ofFile: path) == words ? holder : nil
    }

    /// By whatever name the store is reached, the lock is one.
    private static func path(_ storePath: String) -> String {
        CompanionFile.lock.path(
            of: FileDescriptor.resolved(storePath) ?? StoreTarget.place(of: storePath))
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
                "The lock \(path) cannot be made: \(error.text)",
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
            // A process that begins may have the file, too, until it is what it is to be.
            FileSystem.unlock(descriptor)
        }
        FileSystem.close(descriptor)
    }
}

extension RunFailure {
    fileprivate static let lockHeld = "lock.held"

    /// Another run has the store.
    var isLockHeld: Bool { diagnostics.contains { $0.code == Self.lockHeld } }
}
