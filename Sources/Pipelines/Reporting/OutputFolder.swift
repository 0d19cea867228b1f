import Diagnostics
import Files

/// Makes the folders that outputs go to.
enum OutputFolder {
    /// Makes the folder of a file, and those above it, where they are missing.
    static func make(for path: String) throws {
        guard path != "-" else { return }
        try make(PathText.folder(of: path))
    }

    /// Makes a folder, and those above it, where they are missing, to outlast a loss of power.
    static func make(_ folder: String) throws {
        do throws(SystemFault) {
            try FileSystem.makeFolders(folder, isDurable: true)
        } catch {
            throw RunFailure(
                Fault(.output, error.kind(else: .notCreated)), code: "output.folder",
                "The folder \(folder) cannot be made: \(error.text)",
                fix: "check its permissions, or name another")
        }
    }
}
