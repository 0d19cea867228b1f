import Diagnostics
import Crypto
import FoundationEssentials
import GraphModel

/// What an export came to, in a file of its own beside it: `tasks.csv.manifest.json`.
///
/// Whoever fetches the export later can tell by it whether the file is whole. It is written after
/// the file has its name, so for a moment an old manifest stands beside a new file; that the two
/// do not belong together shows by the digest.
final class ExportManifest {
    let path: String
    private let name: String
    private var hash = SHA256()

    init(of path: String) {
        self.path = path + ".manifest.json"
        name = PathText.lastComponent(path)
    }

    /// Sees the bytes of the file as stored.
    func add(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
    }

    /// Writes the manifest as one line of JSON.
    func write(rows: Int, bytes: Int) throws {
        let content = JSONTree.fields([
            "bytes": bytes, "file": name, "rows": rows, "sha256": hash.finalize().hexText,
        ])
        try WholeFile.write(Array(content.compact.utf8) + [10], to: path)
    }
}
