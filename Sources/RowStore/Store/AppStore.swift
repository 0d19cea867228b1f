import Files
import SQLite

/// Stores that an app created on Apple's systems, with the same layout but no table of GraphStore.
package enum AppStore {
    /// Whether a file is an app's store; `false` also if it is not a store.
    ///
    /// Reads only the file, so nothing in its folder changes, unless all its content is in the
    /// write-ahead log (WAL).
    package static func isOne(_ path: String) -> Bool {
        // Opening the store reports other kinds of files, such as a pipe.
        guard FileSystem.exists(path), (try? StoreFiles.rejectOtherKinds(path)) != nil else {
            return false
        }
        if let kind = kind(StoreAddress(file: path, isImmutable: true)) { return kind == .app }
        // A store that is being created is not an app's store.
        guard StoreFiles.hasFilledLog(StoreFiles.resolved(path)),
            // A damaged log is refused later, by what reads or writes the store.
            let snapshot = try? StoreSnapshot(ofApp: path, .mend)
        else { return false }
        return kind(snapshot.address) == .app
    }

    private enum Kind {
        case ours, app
    }

    /// Returns the creator of a file's tables; `nil` if it has no known tables or cannot be read.
    private static func kind(_ address: StoreAddress) -> Kind? {
        // Opening the store reports any fault of the file.
        guard let connection = try? address.connect(.readOnly),
            let tables = try? connection.prepare(
                "SELECT sum(name = 'ETL_MODEL'), sum(name = 'Z_METADATA') FROM sqlite_master"),
            (try? tables.step()) == true
        else { return nil }
        if tables.integer(0) > 0 { return .ours }
        return tables.integer(1) > 0 ? .app : nil
    }
}
