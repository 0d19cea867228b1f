package import GraphModel
internal import CSQLite

extension Connection {
    /// The whole database as the bytes of a file, what the open transaction wrote included
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

    /// Replaces the whole database with that of a file's bytes.
    package func restore(image: [UInt8]) throws(StoreError) {
        // SQLite frees or grows the buffer itself, so it must be its own.
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
            // The file may say that it has a write-ahead log, which memory cannot have
            // (https://www.sqlite.org/fileformat.html, offsets 18 and 19).
            copy[18] = 1
            copy[19] = 1
        }
        let source = try Connection()
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        let size = sqlite3_int64(image.count)
        let result = sqlite3_deserialize(source.handle, "main", copy, size, size, flags)
        guard result == SQLITE_OK else { throw source.error(result, sql: nil) }
        // Reads the header, so that what is no database is told here.
        _ = try source.integer("PRAGMA schema_version")
        try source.backup(to: self)
    }
}
