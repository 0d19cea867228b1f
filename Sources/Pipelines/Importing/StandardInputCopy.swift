import Diagnostics
import Files
import FoundationEssentials

/// A copy of standard input in a temporary file, which is deleted with the object.
///
/// It is read twice: to infer from it, and to import it.
final class StandardInputCopy: Sendable {
    /// The copy; its name gives the entity.
    let path: String
    private let folder: String

    /// Reads standard input to its end.
    init() throws(RunFailure) {
        let temporary = FileManager.default.temporaryDirectory.path
        folder = PathText.join(temporary, "etl-import-\(UUID().uuidString)")
        path = PathText.join(folder, "record")
        do {
            try FileSystem.makeFolders(folder)
            let file = try FileSystem.open(path, [.writing, .creating], mode: 0o600)
            try FileSystem.copy(0, to: file)
            try FileSystem.closeWritten(file)
        } catch {
            try? FileSystem.removeAll(folder)
            throw Self.failure("\(error)", folder)
        }
    }

    deinit {
        // The system deletes temporary files that are left.
        try? FileSystem.removeAll(folder)
    }

    /// Makes the copy the standard input of this process.
    func rewind() throws(RunFailure) {
        do {
            try FileSystem.replaceStandardInput(by: path)
        } catch {
            throw Self.failure("\(error)", folder)
        }
    }

    private static func failure(_ reason: String, _ folder: String) -> RunFailure {
        RunFailure(
            Fault(.input, .inputOutput), code: "import.standard-input",
            "Standard input cannot be copied to \(folder): \(reason)",
            fix: "make room there, or set TMPDIR to another folder")
    }
}
