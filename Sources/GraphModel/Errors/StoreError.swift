public import FoundationEssentials
package import Diagnostics
import Files

/// Why a store did not do what it was asked.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure, for programs.
    public enum Code: String, Sendable, Hashable {
        /// The file does not exist.
        case missing
        /// The file exists, and was to be made.
        case exists
        /// The file is not a store of this kind.
        case notAStore = "not-a-store"
        /// The file keeps its texts in UTF-16, and a store's are in UTF-8.
        case encoding
        /// The store's model differs from the one given.
        case modelMismatch = "model-mismatch"
        /// Nobody has said what a migration makes of some of the data.
        case needsMapping = "needs-mapping"
        /// The data is not as the new model wants it.
        case migrationRefused = "migration-refused"
        /// No model was given and the store has none.
        case noModel = "no-model"
        /// Another process holds the lock; try later.
        case busy
        /// The disk is full.
        case full
        /// The file is damaged.
        case corrupt
        /// The file or its folder may not be written.
        case permission
        /// A uniqueness constraint was violated.
        case unique
        /// A value breaks a rule of the model, or cannot be computed.
        case validation
        /// More objects than `at-most` allows.
        case tooMany = "too-many"
        /// A delete rule forbids it.
        case deleteRule = "delete-rule"
        /// Reading or writing failed.
        case inputOutput = "input-output"
        /// Memory, threads or descriptors ran out.
        case resources
        /// The request names what the model does not have.
        case invalidRequest = "invalid-request"
        /// An object has no property of that name.
        case unknownKey = "unknown-key"
        /// The object's context is gone or was reset.
        case invalidated
        /// The object's row is gone.
        case inaccessible
        /// An object of another context.
        case foreignContext = "foreign-context"
        /// Another save changed the same objects; see `mergeError`.
        case conflict
        /// A hook of an object failed, or never came to an end.
        case hook
        /// The task that asked for it was cancelled.
        case cancelled
        /// A mistake of ours.
        case internalError = "internal"
    }

    /// What kind of failure.
    public let code: Code
    /// What went wrong, and how it may be mended.
    public private(set) var message: String
    /// The statement, where one was being run.
    public let sql: String?
    /// What led to it, where that says more.
    public let cause: (any Error)?
    /// SQLite's extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`; 0 where it was not SQLite
    /// that failed.
    package let resultCode: Int32
    /// The number of the system call's error, as SQLite gives it; 0 if no call failed.
    package let systemError: Int32

    /// Makes an error.
    package init(
        _ code: Code, _ message: String, sql: String? = nil, cause: (any Error)? = nil,
        resultCode: Int32 = 0, systemError: Int32 = 0
    ) {
        self.code = code
        self.message = message
        self.sql = sql
        self.cause = cause
        self.resultCode = resultCode
        self.systemError = systemError
    }

    /// The origin and the kind, from which the exit status follows.
    package var fault: Fault {
        switch code {
        case .missing: Fault(.store, .missing)
        case .exists, .notAStore, .encoding, .modelMismatch, .needsMapping, .noModel,
            .invalidRequest:
            Fault(.spec, .invalid)
        case .busy, .cancelled: Fault(.store, .busy)
        case .full, .corrupt, .inputOutput: Fault(.store, .inputOutput)
        case .permission: Fault(.store, .permission)
        case .unique, .validation, .tooMany, .deleteRule, .conflict, .migrationRefused:
            Fault(.inputData, .invalid)
        case .resources: Fault(.store, .resources)
        case .internalError, .unknownKey, .invalidated, .inaccessible, .foreignContext, .hook:
            Fault(.program, .invalid)
        }
    }

    /// Another process has the lock of the store's file.
    package init(inUse path: String) {
        self.init(.busy, "\(path) is in use by another process; try again later")
    }

    /// The same error with another path in its message, such as the store's for that of a copy.
    package func naming(_ path: String, insteadOf copy: String) -> StoreError {
        var error = self
        error.message.replace(copy, with: path)
        return error
    }

    /// One sentence.
    public var description: String { message }
}

extension StoreError: LocalizedError {
    /// What the command prints of it, too.
    public var errorDescription: String? { description }
}
