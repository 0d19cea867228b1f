package import GraphModel
internal import CSQLite

extension Connection {
    /// Returns the complete database as the bytes of a file.
    ///
    /// It includes uncommitted changes of the open transaction
    /// (https://www.sqlite.org/c3ref/serialize.html).
    package func image() throws(StoreError) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard let bytes = sqlite3_serialize(handle, "main", &size, 0) else {
            throw StoreError(
                resultCode: SQLITE_NOMEM, message: "The database does not fit into memory")
        }
        defer { sqlite3_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }

    /// Replaces the complete database with the database in a file's bytes.
    package func restore(image: [UInt8]) throws(StoreError) {
        // SQLite frees or reallocates the buffer, so SQLite must also allocate it.
        guard !image.isEmpty,
            let copy = sqlite3_malloc64(UInt64(image.count))?
                .bindMemory(to: UInt8.self, capacity: image.count)
        else {
            throw StoreError(
                resultCode: SQLITE_NOTADB, message: "The file is empty or too large")
        }
        image.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { copy.update(from: base, count: bytes.count) }
        }
        if image.count > 19 {
            // The header may require a write-ahead log, which an in-memory database cannot have
            // (https://www.sqlite.org/fileformat.html, offsets 18 and 19).
            copy[18] = 1
            copy[19] = 1
        }
        let source = try Connection()
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        let size = sqlite3_int64(image.count)
        let result = sqlite3_deserialize(source.handle, "main", copy, size, size, flags)
        guard result == SQLITE_OK else { throw source.error(result, sql: nil) }
        // Reads the header, so that bytes that are not a database fail here.
        _ = try source.integer("PRAGMA schema_version")
        try source.backup(to: self)
    }
}
