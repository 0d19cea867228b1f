package import SQLite

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
        /// The store's model differs from the one given.
        case modelMismatch = "model-mismatch"
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
        /// A value breaks a rule of the model.
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
        /// A mistake of ours.
        case internalError = "internal"
    }

    /// What kind of failure.
    public let code: Code
    /// What went wrong, and how it may be mended.
    public let message: String
    /// The statement, where one was being run.
    public let sql: String?

    package init(_ code: Code, _ message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    package init(_ error: SQLiteError) {
        let code: Code =
            if error.isBusy {
                .busy
            } else if error.isFull {
                .full
            } else if error.isCorrupt {
                .corrupt
            } else if error.isPermission {
                .permission
            } else if error.isConstraint {
                .unique
            } else if error.isOutOfMemory {
                .resources
            } else {
                .inputOutput
            }
        self.init(code, error.message, sql: error.sql)
    }

    /// One sentence.
    public var description: String { message }
}

/// Runs SQLite work and gives its errors the store's type.
func storing<R>(_ body: () throws(SQLiteError) -> R) throws(StoreError) -> R {
    do {
        return try body()
    } catch {
        throw StoreError(error)
    }
}
