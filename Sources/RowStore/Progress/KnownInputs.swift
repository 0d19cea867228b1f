package import Files
package import SQLite

/// A file whose records are all in the store.
package struct KnownInput: Sendable, Hashable {
    /// The path of the file.
    package var path: FileName
    /// The size of the stored file in bytes.
    package var byteCount: Int
    /// The SHA-256 digest of the inflated bytes.
    package var digest: [UInt8]

    /// Creates an input from a path, the stored size in bytes, and the SHA-256 digest.
    package init(path: FileName, byteCount: Int, digest: [UInt8]) {
        self.path = path
        self.byteCount = byteCount
        self.digest = digest
    }
}

/// The table `ETL_INPUTS` of the files that stages have imported with `read.once` or by appending.
///
/// The first such file creates the table.
package enum KnownInputs {
    static let table = SchemaSQL.inputsTable

    static let creation = """
        CREATE TABLE IF NOT EXISTS \(table) (PIPELINE TEXT, STAGE TEXT, \
        PATH TEXT, SIZE INTEGER, DIGEST BLOB, PRIMARY KEY (PIPELINE, STAGE, PATH)) \
        WITHOUT ROWID
        """

    /// The `PIPELINE` value of appended inputs, for which `STAGE` is an entity.
    ///
    /// `PATH` is then the digest, the pipeline, and the stage, so every content has a row, whatever
    /// the file's name was.
    package static let appends = ""
}

/// An input whose records a stage has appended to an entity.
package struct AppendedInput: Sendable, Hashable {
    /// The pipeline that appended the input.
    package var pipeline: String
    /// The stage that appended the input.
    package var stage: String
    /// The SHA-256 digest of the inflated bytes.
    package var digest: [UInt8]

    /// Creates an input from its pipeline, its stage, and the SHA-256 digest.
    package init(pipeline: String, stage: String, digest: [UInt8]) {
        self.pipeline = pipeline
        self.stage = stage
        self.digest = digest
    }

    /// Creates an input from its row; `nil` if the row's path is malformed.
    package init?(_ row: KnownInput) {
        let words = String(decoding: row.path.bytes, as: UTF8.self)
            .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3 else { return nil }
        self.init(pipeline: String(words[1]), stage: String(words[2]), digest: row.digest)
    }

    /// The row in which the input is stored.
    package var row: KnownInput {
        let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let name = "\(hex)\n\(pipeline)\n\(stage)"
        return KnownInput(path: FileName(bytes: Array(name.utf8)), byteCount: 0, digest: digest)
    }
}

extension KnownInputs {
    /// Returns the files that the stages of a pipeline have imported, by stage.
    package static func read(
        pipeline: String, on reader: Connection
    ) throws(StoreError) -> [String: [KnownInput]] {
        guard try reader.hasTable(table) else { return [:] }
        let rows = try reader.prepare(
            "SELECT STAGE, PATH, SIZE, DIGEST FROM \(table) WHERE PIPELINE = ?")
        rows.bind(pipeline, at: 1)
        var found: [String: [KnownInput]] = [:]
        while try rows.step() {
            found[rows.string(0), default: []].append(
                KnownInput(
                    path: FileName(bytes: rows.bytes(1)), byteCount: Int(rows.integer(2)),
                    digest: Array(rows.bytes(3))))
        }
        return found
    }

    /// Records that a stage has imported files, in the open transaction.
    package static func write(
        _ inputs: [KnownInput], _ pipeline: String, _ stage: String, on connection: Connection
    ) throws(StoreError) {
        try connection.execute(creation)
        let write = try connection.prepare(
            "INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?, ?, ?)")
        for input in inputs {
            write.bind(pipeline, at: 1)
            write.bind(stage, at: 2)
            // Valid UTF-8 is stored as TEXT, which other tools can read.
            if let text = input.path.exactText {
                write.bind(text, at: 3)
            } else {
                write.bind(input.path.bytes, at: 3)
            }
            write.bind(Int64(input.byteCount), at: 4)
            write.bind(input.digest, at: 5)
            try write.run()
        }
    }
}
