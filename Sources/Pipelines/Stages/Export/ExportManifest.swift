import Digests
import Files
import FoundationEssentials
import GraphModel

/// What an export came to, in a file of its own beside it: `tasks.csv.manifest.json`.
///
/// Whoever fetches the export later can tell by it whether the file is whole. It is written after
/// the file has its name, so for a moment an old manifest stands beside a new file; that the two
/// do not belong together shows by the digest.
final class ExportManifest {
    let path: FileName
    private let name: FileName
    private var hash = ByteDigest()

    init(of path: FileName) {
        self.path = Self.path(of: path)
        name = path.lastComponent
    }

    /// The manifest of an export.
    static func path(of export: FileName) -> FileName { export.adding(".manifest.json") }

    /// Sees the bytes of the file as stored.
    func add(_ bytes: UnsafeRawBufferPointer) {
        hash.add(bytes)
    }

    /// What it says of the file.
    func content(rows: Int, bytes: Int) -> JSONTree {
        .fields([
            "bytes": bytes, "file": name, "rows": rows, "sha256": hash.value.hexText,
        ])
    }

    /// Writes the manifest of an export in parts as one line of JSON.
    ///
    /// - Parameter files: what the manifest of each part would say.
    static func write(
        _ files: [JSONTree], rows: Int, bytes: Int, to path: FileName, storedAs stored: FileName?
    ) throws {
        let content = JSONTree.fields(["bytes": bytes, "files": JSONTree.list(files), "rows": rows])
        try WholeFile.write(Array(content.compact.utf8) + [10], to: path, storedAs: stored)
    }

    /// Writes the manifest as one line of JSON.
    ///
    /// - Parameter stored: the name that it has until it gets its own.
    func write(rows: Int, bytes: Int, storedAs stored: FileName?) throws {
        let text = content(rows: rows, bytes: bytes).compact
        try WholeFile.write(Array(text.utf8) + [10], to: path, storedAs: stored)
    }
}
