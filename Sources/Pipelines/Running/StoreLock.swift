import Diagnostics

/// Keeps two runs off one store: a kernel lock beside it, which dies with its process.
final class StoreLock {
    private let descriptor: Int32
    /// The file is ours to write to and to empty; it is not after a refused `init`, which ends in
    /// `deinit`, too.
    private var isHeld = false

    /// Takes the lock.
    ///
    /// - Throws: `RunFailure` with status 75 where another run holds it.
    init(storePath: String, pipeline: String, started: String) throws(RunFailure) {
        let path = storePath + ".etl-lock"
        descriptor = FileDescriptor.createForLocking(path)
        guard descriptor >= 0 else {
            let failure = FileDescriptor.failure
            throw RunFailure(
                failure.isPermission ? .noPermission : .cannotCreate, code: "lock.file",
                "The lock \(path) cannot be made: \(failure.text)",
                fix: "check that the store's folder exists and may be written")
        }
        guard FileDescriptor.lock(descriptor) else {
            let holder = FileDescriptor.head(descriptor)
            throw RunFailure(
                .temporaryFailure, code: "lock.held",
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
