import FoundationEssentials
import GraphStore
import RecordStreams

/// Paths as notes in a store have them: relative to the folder of the spec, if they are below it.
///
/// A run may be started in another working folder, and a project may be moved, and the notes still
/// tell which file is which. A secret in a path is noted as `${name}`, as the spec has it: the store
/// does not hold it, and the path still leads to the file.
struct NotedPaths: Sendable {
    /// The spec's folder as it was given.
    private let given: String
    /// The same as an absolute path without symbolic links.
    private let folder: String
    private let workingFolder: String
    private let secrets: [(name: String, text: String)]

    /// - Parameter values: the parameters; without them, paths with secrets stay as they are noted.
    init(_ spec: PipelineSpec, _ values: ParameterValues? = nil) {
        secrets = values?.secrets ?? []
        given = spec.folder
        workingFolder = FileManager.default.currentDirectoryPath
        folder = Self.real(PathText.join(workingFolder, spec.folder))
    }

    /// The path as a note has it; what is no file, such as `-`, stays.
    func noted(_ path: String) -> String {
        secrets.reduce(relative(path)) { path, secret in
            path.replacing(secret.text, with: "${\(secret.name)}")
        }
    }

    private func relative(_ path: String) -> String {
        guard !Self.isNoFile(path) else { return path }
        let whole = PathText.join(workingFolder, path)
        let real = PathText.join(
            Self.real(PathText.folder(of: whole)), PathText.lastComponent(whole))
        guard real.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") else { return real }
        return RelativePath.path(from: folder, to: real) ?? real
    }

    /// The path of a file of a note, as specs lead to it.
    func path(_ noted: String) -> String {
        let noted = secrets.reduce(noted) { path, secret in
            path.replacing("${\(secret.name)}", with: secret.text)
        }
        return located(noted)
    }

    private func located(_ noted: String) -> String {
        Self.isNoFile(noted) ? noted : PathText.tidied(PathText.join(given, noted))
    }

    private static func isNoFile(_ path: String) -> Bool {
        path.isEmpty || path == InputFile.standardInput.path
            || path.hasPrefix(InputFile.generatedPrefix)
    }

    /// A folder that is gone has no links that could be followed.
    private static func real(_ folder: String) -> String {
        FileDescriptor.resolved(folder) ?? PathText.normalized(folder)
    }
}

extension NotedPaths {
    /// What the store knows of an input that is imported once.
    ///
    /// Older versions of etl noted paths as they were given.
    func known(_ file: InputFile, among inputs: [String: KnownInput]) -> KnownInput? {
        inputs[noted(file.path)] ?? inputs[file.path]
    }
}

extension ImportNote {
    /// The note with other paths.
    func mappingPaths(_ map: (String) -> String) -> ImportNote {
        var note = self
        note.position?.path = map(position?.path ?? "")
        note.section?.end?.path = map(section?.end?.path ?? "")
        note.section?.finished = section?.finished.map { $0.mappingPath(map) } ?? []
        note.inputs = Dictionary(
            inputs.map { (map($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        for place in note.rejects.indices {
            note.rejects[place].source = map(rejects[place].source)
            note.rejects[place].path = map(rejects[place].path)
        }
        for place in note.left.indices { note.left[place].path = map(left[place].path) }
        return note
    }
}

extension InputNote {
    /// The note with another path.
    func mappingPath(_ map: (String) -> String) -> InputNote {
        var note = self
        note.path = map(path)
        return note
    }
}

extension StageNote {
    /// The note with other paths.
    func mappingPaths(_ map: (String) -> String) -> StageNote {
        var note = self
        note.inputs = inputs?.map { $0.mappingPath(map) }
        return note
    }
}
