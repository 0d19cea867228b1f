import SQLite

/// Sees whether anybody else has written to a store since it was made, and keeps all others away
/// once the store is to be replaced by one that was worked out from it.
package final class StoreWitness {
    private let path: String
    private let connection: Connection
    private let version: Int64

    /// - Parameter patience: how long others may take to let go of the store; nil is a second.
    package init(at path: String, waiting patience: LockPatience?) throws(StoreError) {
        self.path = path
        do throws(StoreError) {
            connection = try Connection(path: path, mode: .readWrite)
            connection.waitForLocks(patience, otherwise: 1_000)
            version = try connection.integer("PRAGMA data_version") ?? 0
        } catch {
            throw error.code == .busy ? StoreError(inUse: path) : error
        }
    }

    /// Takes the store for as long as the witness lives.
    ///
    /// - Returns: the connection that keeps others away.
    /// - Throws: `.busy` where another process has it open, or has written to it.
    func takeOver() throws(StoreError) -> Connection {
        let isWritten: Bool
        do throws(StoreError) {
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            isWritten = try connection.integer("PRAGMA data_version") != version
        } catch {
            throw error.code == .busy ? StoreError(inUse: path) : error
        }
        guard !isWritten else {
            throw StoreError(writtenMeanwhile: path)
        }
        return connection
    }
}

/// Somebody has written to a store whose copy is to take its place.
private struct WrittenMeanwhile: Error {}

extension StoreError {
    package init(writtenMeanwhile path: String) {
        self.init(
            .busy,
            "\(path) was written by another process while a copy of it was worked on; it is as that"
                + " process left it", cause: WrittenMeanwhile())
    }

    /// What was worked out lacks what another process has written, so that it is to be done anew.
    package var isWrittenMeanwhile: Bool { cause is WrittenMeanwhile }
}
