import Diagnostics
import FoundationEssentials

/// Makes the folders that outputs go to.
enum OutputFolder {
    /// Makes the folder of a file, and those above it, where they are missing.
    static func make(for path: String) throws {
        guard path != "-" else { return }
        try make(PathText.folder(of: path))
    }

    /// Makes a folder, and those above it, where they are missing.
    static func make(_ folder: String) throws {
        do {
            var parents: [String] = []
            var missing = folder
            while !FileDescriptor.isFolder(FileName(missing)) {
                missing = PathText.folder(of: missing)
                parents.append(missing)
            }
            guard !parents.isEmpty else { return }
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            // A loss of power must not take the folder with all that is made in it.
            parents.forEach(FileDescriptor.synchronizeFolder)
        } catch {
            throw RunFailure(
                .cannotCreate, code: "output.folder", "The folder \(folder) cannot be made",
                fix: "check its permissions, or name another")
        }
    }
}
