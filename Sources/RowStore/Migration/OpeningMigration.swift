import Dispatch
import Files
import GraphModel

/// A migration of a store that is being opened, configured by the store's description.
struct OpeningMigration {
    private let description: StoreDescription
    private let model: ManagedObjectModel
    private let held: Set<String>?
    private let details: StoreOptions.Migration.Details

    /// Prepares a migration; the result is `nil` if the store must not be migrated.
    ///
    /// - Parameter held: The model's entities in the store; `nil` for all.
    init?(
        _ description: StoreDescription, to model: ManagedObjectModel?, holding held: Set<String>?
    ) {
        guard let model, let way = description.options.migration.way, description.kind == .sqlite,
            description.options.mayWrite
        else { return nil }
        self.description = description
        self.model = model
        self.held = held
        details = way.details
    }

    private var path: String { description.path }

    /// How long to wait for other users of the store.
    private var patience: LockPatience {
        let longest = Duration.milliseconds(max(0, description.options.busyTimeoutMilliseconds))
        return description.options.lockPatience ?? LockPatience { $0 < longest }
    }

    /// Opens the store, migrating it first unless another process has just done it.
    func open(
        _ opening: () throws(StoreError) -> PersistentStore
    ) throws(StoreError) -> PersistentStore {
        let lock = try MigrationLock(at: path, waiting: patience)
        defer { withExtendedLifetime(lock) {} }
        do throws(StoreError) {
            let store = try opening()
            // A migration may have been killed after it replaced the store, and before this step.
            if !StoreBackups.seen(of: path).all.isEmpty {
                try StoreFiles.synchronizeFolder(of: StoreFiles.resolved(path))
            }
            return store
        } catch {
            guard error.isOtherVersion else { throw error }
        }
        let backup: String?
        do throws(StoreError) {
            backup = try migrate()
        } catch {
            throw error.code == .busy ? StoreError(inUseAndToBeMigrated: path, error) : error
        }
        let store = try opening()
        guard let backup else { return store }
        store.migrationBackups = [backup]
        // Best effort: the store is migrated and open, and the next migration removes the rest.
        try? StoreBackups(of: path).remove(
            allBut: max(1, description.options.migration.backupsKept))
        return store
    }

    /// Migrates the store.
    ///
    /// - Returns: The path of the old store; `nil` if there was nothing to migrate.
    private func migrate() throws(StoreError) -> String? {
        let allowsCloudKit = description.options.appStores.allowsCloudKit
        guard let history = details.history?.ending(with: model) else {
            var manager = MigrationManager(storeAt: path, to: model)
            manager.allowsCloudKit = allowsCloudKit
            manager.lockPatience = patience
            manager.holding = held
            return try manager.migrate(cancellation: details.cancellation, report: details.report)
                .backupPath
        }
        var chain = MigrationChain(
            ofStoreAt: path, through: history, mappings: details.mappings,
            stoppingAt: details.stops, allowsCloudKit: allowsCloudKit)
        chain.lockPatience = patience
        chain.holding = held
        do {
            return try chain.run(
                cancellation: details.cancellation, willMigrate: details.willMigrate,
                didMigrate: details.didMigrate, report: details.report)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(
                .migrationRefused, "\(path) cannot be migrated: \(error)", cause: error)
        }
    }
}

extension ModelHistory {
    /// Returns the versions up to a model, which may be the last version or missing.
    fileprivate func ending(with model: ManagedObjectModel) -> ModelHistory {
        let place =
            versions.lastIndex { $0.versionHashes == model.versionHashes } ?? versions.count
        return ModelHistory(versions.prefix(place) + [model])
    }
}

/// A lock that one process at a time holds to migrate a store that is being opened.
///
/// It is a kernel lock on the store's lock file, which runs of etl take too. The kernel releases it
/// when the process exits.
private final class MigrationLock {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Parameter patience: How long to wait for other processes.
    init(at path: String, waiting patience: LockPatience) throws(StoreError) {
        let store = StoreFiles.resolved(path)
        do throws(StoreError) {
            try StoreFiles.checkOwnFiles(nextToStoreAt: store)
            let lock = CompanionFile.lock.path(of: store)
            descriptor = try StoreFiles.calling(lock, "cannot be created") {
                () throws(SystemFault) in
                try FileSystem.createForLocking(lock)
            }
        } catch {
            throw StoreError(
                error.code,
                "\(path) was created with another version of the model, and cannot be migrated:"
                    + " \(error.message)", cause: error)
        }
        let start = ContinuousClock.now
        while !FileSystem.lock(descriptor) {
            guard patience.waitsOn(after: ContinuousClock.now - start) else {
                throw StoreError(inUseAndToBeMigrated: path, nil)
            }
            // The kernel does not notify waiting processes, so poll every 10 ms.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(10))
        }
    }

    deinit {
        FileSystem.unlock(descriptor)
        FileSystem.close(descriptor)
    }
}

/// A marker: the store has another version of the model.
private struct OtherVersion: Error {}

extension StoreError {
    /// Creates an error for a store that has another version of the model.
    ///
    /// - Parameters:
    ///   - difference: The difference that was found.
    ///   - description: The description with which the store was opened.
    init(otherVersion difference: String, _ description: StoreDescription) {
        let options = description.options
        let way =
            if description.kind != .sqlite {
                "only SQLite files are migrated, and it is a store of the kind"
                    + " \(description.kind.rawValue)"
            } else if !options.mayWrite, options.migration.way != nil {
                "it is opened for reading only, so it is not migrated; open it for writing"
            } else {
                Self.migrationWays
            }
        self.init(.modelMismatch, "\(difference); \(way)", cause: OtherVersion())
    }

    /// The two ways to migrate a store, in a program that uses the library.
    private static let migrationWays =
        "migrate it by `MigrationManager` or `etl migrate`, or open it for writing with"
        + " `StoreOptions.migration = .automatic`"

    /// The message without the advice for programs that use the library.
    package var messageForCommands: String {
        message.replacing("; \(Self.migrationWays)", with: "")
            .replacing(" or `MigrationManager.allowsCloudKit`", with: "")
            .replacing(" or `AppStoreAccess.allowsCloudKit`", with: "")
    }

    /// Whether a migration would fix the error.
    var isOtherVersion: Bool { cause is OtherVersion }

    fileprivate init(inUseAndToBeMigrated path: String, _ cause: StoreError?) {
        self.init(
            .busy,
            "\(path) was created with another version of the model, and cannot be migrated while "
                + "this or another process uses it; try again later", cause: cause)
    }
}
