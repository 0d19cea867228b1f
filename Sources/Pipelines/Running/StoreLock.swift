import Diagnostics
import Dispatch

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
        var deadline: ContinuousClock.Instant?
        if case .wait(let seconds) = policy { deadline = .now + .seconds(seconds) }
        while true {
            do throws(RunFailure) {
                return try StoreLock(storePath: storePath, pipeline: pipeline, started: started)
            } catch {
                guard error.isLockHeld else { throw error }
                if policy == .skip { return nil }
                guard let deadline, ContinuousClock.now < deadline else { throw error }
            }
            try interruption.check()
            // Nobody tells when a lock is free.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(100))
        }
    }

    private init(storePath: String, pipeline: String, started: String) throws(RunFailure) {
        // By whatever name the store is reached, the lock is one.
        let path = (FileDescriptor.resolved(storePath) ?? storePath) + ".etl-lock"
        descriptor = FileDescriptor.createForLocking(path)
        guard descriptor >= 0 else {
            let failure = FileDescriptor.failure(else: .cannotCreate)
            throw RunFailure(
                failure.status, code: "lock.file",
                "The lock \(path) cannot be made: \(failure.text)",
                fix: "check that the store's folder exists and may be written")
        }
        guard FileDescriptor.lock(descriptor) else {
            let holder = FileDescriptor.head(descriptor)
            throw RunFailure(
                .temporaryFailure, code: RunFailure.lockHeld,
                "Another run works on \(storePath): \(holder)",
                fix: "wait until it ends; the lock ends with its process")
        }
        isHeld = true
        FileDescriptor.rewrite(
            descriptor, "pid \(FileDescriptor.processID), pipeline \(pipeline), since \(started)")
    }

    deinit {
        if isHeld { FileDescriptor.rewrite(descriptor, "") }
        if descriptor >= 0 { FileDescriptor.close(descriptor) }
    }
}

extension RunFailure {
    fileprivate static let lockHeld = "lock.held"

    fileprivate var isLockHeld: Bool { diagnostics.contains { $0.code == Self.lockHeld } }
}
