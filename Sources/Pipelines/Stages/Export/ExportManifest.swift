import Digests
import Files
import FoundationEssentials
import GraphModel

/// A separate file that describes an export: `tasks.csv.manifest.json`.
///
/// A consumer of the export can use it to check whether the file is complete. It is written after
/// the export has its final name. So for a moment, an old manifest is next to a new file, and the
/// digest shows that they do not match.
final class ExportManifest {
    let path: FileName
    private let name: FileName
    private var hash = ByteDigest()

    init(of path: FileName) {
        self.path = Self.path(of: path)
        name = path.lastComponent
    }

    /// Returns the path of an export's manifest.
    static func path(of export: FileName) -> FileName { export.adding(".manifest.json") }

    /// Adds bytes of the file, as stored, to the digest.
    func add(_ bytes: UnsafeRawBufferPointer) {
        hash.add(bytes)
    }

    /// Returns the contents of the manifest.
    func content(rows: Int, bytes: Int) -> JSONTree {
        .fields([
            "bytes": bytes, "file": name, "rows": rows, "sha256": hash.value.hexText,
        ])
    }

    /// Writes the manifest of an export in parts as one line of JSON.
    ///
    /// - Parameter files: The contents of each part's manifest.
    static func write(
        _ files: [JSONTree], rows: Int, bytes: Int, to path: FileName, storedAs stored: FileName?
    ) throws {
        let content = JSONTree.fields(["bytes": bytes, "files": JSONTree.list(files), "rows": rows])
        try WholeFile.write(Array(content.compact.utf8) + [10], to: path, storedAs: stored)
    }

    /// Writes the manifest as one line of JSON.
    ///
    /// - Parameter stored: The temporary name of the file until it gets its final name.
    func write(rows: Int, bytes: Int, storedAs stored: FileName?) throws {
        let text = content(rows: rows, bytes: bytes).compact
        try WholeFile.write(Array(text.utf8) + [10], to: path, storedAs: stored)
    }
}
