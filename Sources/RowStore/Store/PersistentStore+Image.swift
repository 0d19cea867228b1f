import Files
import GraphModel
import SQLite

/// Stores that are completely in memory, and whose file each save replaces.
extension PersistentStore {
    static func openImage(
        _ description: StoreDescription, _ address: StoreAddress, _ model: ManagedObjectModel?,
        _ held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        let (path, options) = (description.path, description.options)
        let connection = try connect(description, address, mode: .create)
        guard FileSystem.exists(path) else {
            guard description.opening == .create, options.mayWrite else {
                throw StoreError(.missing, "\(path) does not exist")
            }
            let store = try adopt(description, address, connection, model, held)
            try store.image()?.commit()
            return store
        }
        guard !options.mayWrite || FileSystem.allows(path, .write) else {
            throw StoreError(.permission, "\(path) may not be written")
        }
        if options.mayWrite { AtomicFile.removeLeftovers(of: path) }
        let bytes = try StoreFiles.read(path)
        if description.kind == .binary {
            do {
                try connection.restore(image: bytes)
            } catch {
                throw error.isDamage
                    ? StoreError(.corrupt, "\(path) is not a binary store, or is damaged")
                    : error
            }
        } else {
            try JSONStoreCodec.restore(bytes, to: connection, path: path)
        }
        return try adopt(description, address, connection, model, held)
    }

    /// Writes the current content to a temporary file; `nil` if the store is not an image.
    package func image() throws(StoreError) -> AtomicFile? {
        let bytes: [UInt8]
        switch description.kind {
        case .sqlite, .inMemory: return nil
        case .binary:
            bytes = try connection.image()
        case .json:
            bytes = try JSONStoreCodec.image(of: connection)
        }
        return try AtomicFile(bytes, for: path, permissions: options.filePermissions)
    }
}
