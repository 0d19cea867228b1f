import Diagnostics
import Files
import RecordStreams
import FoundationEssentials

/// Writes the inferred model and spec as two files of a folder.
package struct InferenceFolder {
    private let folder: String
    private let workingFolder: String

    static let modelName = "model.yaml"
    static let specName = "pipeline.yaml"

    /// Creates a writer for a folder.
    ///
    /// - Parameter workingFolder: The folder to which relative paths refer.
    package init(_ folder: String, workingFolder: String) {
        self.folder = folder
        self.workingFolder = workingFolder
    }

    /// Writes `model.yaml` and `pipeline.yaml`, which names its inputs relative to the folder.
    package func write(_ inference: Inference, overwrites: Bool) throws(RunFailure) {
        try write(
            model: inference.model,
            spec: inference.spec(modelFile: Self.modelName, path: seenFromFolder),
            overwrites: overwrites, fix: "name another folder with --output, or give --force")
    }

    /// Writes a model, if there is one, and a spec.
    ///
    /// - Parameter fix: The fix to report if a file exists and must not be overwritten.
    func write(
        model: String?, spec: String, overwrites: Bool, fix: String
    ) throws(RunFailure) {
        try URLCheck.reject(folder: folder)
        var files = [(Self.specName, spec)]
        if let model { files.insert((Self.modelName, model), at: 0) }
        for (name, _) in files where !overwrites {
            let path = PathText.join(folder, name)
            guard !FileSystem.exists(path) else {
                throw Self.failure(
                    "file.exists", "The file already exists", path,
                    fix: fix)
            }
        }
        try OutputFolder.make(folder)
        for (name, text) in files {
            try Self.write(text, to: PathText.join(folder, name), overwrites: true)
        }
    }

    /// Writes one file.
    package static func write(
        _ text: String, to path: String, overwrites: Bool
    ) throws(RunFailure) {
        guard overwrites || !FileSystem.exists(path) else {
            throw failure(
                "file.exists", "The file already exists", path,
                fix: "name another file, or add --force")
        }
        let folder = PathText.folder(of: path)
        guard FileSystem.exists(folder) else {
            throw failure(
                "file.write", "The folder of the file does not exist", path,
                fix:
                    "check the path, or create the folder: `mkdir -p \(CommandExample.shell(folder))`"
            )
        }
        do {
            try FileSystem.replace(path, with: Array(text.utf8))
        } catch {
            throw failure(
                "file.write", "The file cannot be written", path,
                fix: "check the folder's permissions and the free space on the disk")
        }
    }

    private static func failure(
        _ code: String, _ message: String, _ path: String, fix: String
    ) -> RunFailure {
        RunFailure(
            .cannotCreate, code: code, message, at: .file(path), fix: fix)
    }

    /// Returns a path relative to the folder, as specs in it name it; absolute paths are unchanged.
    func seenFromFolder(_ path: String) -> String {
        // Standard input is not a file.
        guard !PathText.isAbsolute(path), path != "-" else { return path }
        return FileName(absolute(path)).relative(to: FileName(absolute(folder)))?.exactText ?? path
    }

    /// Returns the absolute path without symbolic links, so that `..` leads to the real parent.
    private func absolute(_ path: String) -> String {
        let whole = PathText.normalized(PathText.join(workingFolder, path))
        // A folder that does not exist yet has no links, but its parents may have some.
        var known = whole
        var rest: [String] = []
        while known.count > 1 {
            if let resolved = FileDescriptor.resolved(known) {
                return PathText.join(resolved, rest.reversed().joined(separator: "/"))
            }
            rest.append(PathText.lastComponent(known))
            known = PathText.folder(of: known)
        }
        return whole
    }
}
