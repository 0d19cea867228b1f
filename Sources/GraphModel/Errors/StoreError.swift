public import FoundationEssentials
package import Diagnostics
import Files

/// The reason that an operation of a store failed.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public enum Code: String, Sendable, Hashable {
        /// The file does not exist.
        case missing
        /// The file to create already exists.
        case exists
        /// The file is not a store of this kind.
        case notAStore = "not-a-store"
        /// The file's text encoding is UTF-16; a store must use UTF-8.
        case encoding
        /// The store's model differs from the given one.
        case modelMismatch = "model-mismatch"
        /// A migration needs a mapping for some of the data.
        case needsMapping = "needs-mapping"
        /// The data does not meet the new model's rules.
        case migrationRefused = "migration-refused"
        /// No model was given, and the store has none.
        case noModel = "no-model"
        /// Another process holds the lock; try again later.
        case busy
        /// The disk is full.
        case full
        /// The file is damaged.
        case corrupt
        /// The file or its folder is not writable.
        case permission
        /// A uniqueness constraint is violated.
        case unique
        /// A value breaks a rule of the model, or cannot be computed.
        case validation
        /// The number of objects exceeds `at-most`.
        case tooMany = "too-many"
        /// A delete rule forbids the deletion.
        case deleteRule = "delete-rule"
        /// Reading or writing failed.
        case inputOutput = "input-output"
        /// Memory, threads, or file descriptors ran out.
        case resources
        /// The request names something that the model does not have.
        case invalidRequest = "invalid-request"
        /// The object has no property of that name.
        case unknownKey = "unknown-key"
        /// The object's context was released or reset.
        case invalidated
        /// The object's row no longer exists.
        case inaccessible
        /// The object belongs to another context.
        case foreignContext = "foreign-context"
        /// Another save changed the same objects; see `mergeError`.
        case conflict
        /// A method of an object's class, such as `willSave`, failed or kept changing objects.
        case hook
        /// The requesting task was canceled.
        case cancelled
        /// A bug in this library.
        case internalError = "internal"
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure, often with a fix.
    public private(set) var message: String
    /// The SQL statement, if one was running.
    public let sql: String?
    /// The underlying error, if it has more information.
    public let cause: (any Error)?
    /// SQLite's extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`; 0 if SQLite did not fail.
    package let resultCode: Int32
    /// The system call's error number, as reported by SQLite; 0 if no call failed.
    package let systemError: Int32

    /// Creates an error.
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

    /// The origin and the kind of the fault, which determine the exit status.
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

    /// Creates the error for a store whose lock is held by another process.
    package init(inUse path: String) {
        self.init(.busy, "\(path) is in use by another process; try again later")
    }

    /// Returns the same error with a path in its message replaced, such as a copy's by the store's.
    package func naming(_ path: String, insteadOf copy: String) -> StoreError {
        var error = self
        error.message.replace(copy, with: path)
        return error
    }

    /// A description in one sentence.
    public var description: String { message }
}

extension StoreError: LocalizedError {
    /// The text that the command also prints.
    public var errorDescription: String? { description }
}
