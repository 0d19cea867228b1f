import Diagnostics
import Files

/// Creates the folders of outputs.
enum OutputFolder {
    /// Creates the folder of a file and its missing parents.
    static func make(for path: String) throws(RunFailure) {
        guard path != "-" else { return }
        try make(PathText.folder(of: path))
    }

    /// Creates a folder and its missing parents durably.
    static func make(_ folder: String) throws(RunFailure) {
        do throws(SystemFault) {
            try FileSystem.makeFolders(folder, isDurable: true)
        } catch {
            throw RunFailure(
                Fault(.output, error.kind(else: .notCreated)), code: "output.folder",
                "The folder \(folder) cannot be created: \(error.text)",
                fix: "check its permissions, or name another")
        }
    }
}
