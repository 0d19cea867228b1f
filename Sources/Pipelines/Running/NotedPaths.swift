import Files
import GraphStore
import RecordStreams

/// Paths as notes in a store have them: relative to the folder of the spec.
///
/// A run may be started in another working folder, and a project may be moved, and the notes still
/// tell which file is which. A secret in a path is noted as `${name}`, as the spec has it: the store
/// does not hold it, and the path still leads to the file.
struct NotedPaths: Sendable {
    /// The spec's folder as it was given.
    private let given: FileName
    /// The same as an absolute path without symbolic links.
    private let folder: FileName
    private let workingFolder: FileName
    private let secrets: [(name: String, text: String)]

    /// - Parameter values: the parameters; without them, paths with secrets stay as they are noted.
    init(_ spec: PipelineSpec, _ values: ParameterValues? = nil) {
        self.init(folder: spec.folder, secrets: values?.secrets ?? [])
    }

    /// - Parameter path: the folder of the spec.
    init(folder path: String, secrets: [(name: String, text: String)] = []) {
        self.secrets = secrets
        given = FileName(path)
        workingFolder = WorkingFolder.name
        folder = Self.real(workingFolder.joining(given))
    }

    /// The path as a note has it; what is no file, such as `-`, stays.
    func noted(_ path: FileName) -> FileName {
        secrets.reduce(relative(path)) { path, secret in
            path.replacing(secret.text, with: "${\(secret.name)}")
        }
    }

    private func relative(_ path: FileName) -> FileName {
        guard !Self.isNoFile(path) else { return path }
        let whole = workingFolder.joining(path)
        let real = Self.real(whole.folder).joining(whole.lastComponent)
        return real.relative(to: folder) ?? real
    }

    /// The path of a file of a note, as specs lead to it.
    func path(_ noted: FileName) -> FileName {
        located(
            secrets.reduce(noted) { path, secret in
                path.replacing("${\(secret.name)}", with: secret.text)
            })
    }

    private func located(_ noted: FileName) -> FileName {
        Self.isNoFile(noted)
            ? noted : given.joining(noted).tidied(isLink: FileSystem.isLink)
    }

    private static func isNoFile(_ path: FileName) -> Bool {
        path.isEmpty || path == InputFile.standardInput.path
            || path.hasPrefix(InputName.generatedPrefix) || InputName.isCommand(path)
    }

    /// A folder that is gone has no links that could be followed.
    private static func real(_ folder: FileName) -> FileName {
        FileSystem.resolved(folder) ?? folder.normalized
    }
}

extension NotedPaths {
    /// What the store knows of an input that is imported once.
    ///
    /// Older versions of etl noted paths as they were given.
    func known(_ file: InputFile, among inputs: [FileName: KnownInput]) -> KnownInput? {
        inputs[noted(file.path)] ?? inputs[file.path]
    }
}

extension ResumePoint {
    /// The note with other paths.
    func mappingPaths(_ map: (FileName) -> FileName) -> ResumePoint {
        var note = self
        if let path = position?.path { note.position?.path = map(path) }
        if let path = section?.end?.path { note.section?.end?.path = map(path) }
        note.section?.finished = section?.finished.map { $0.mappingPath(map) } ?? []
        note.inputs = Dictionary(
            inputs.map { (map($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        for place in note.rejects.indices {
            note.rejects[place].source = map(rejects[place].source)
            note.rejects[place].path = map(rejects[place].path)
        }
        for place in note.left.indices { note.left[place].path = map(left[place].path) }
        note.finished = finished.map { $0.mappingPath(map) }
        return note
    }
}

extension InputNote {
    /// The note with another path.
    func mappingPath(_ map: (FileName) -> FileName) -> InputNote {
        var note = self
        note.path = map(path)
        return note
    }
}

extension StageNote {
    /// The note with other paths.
    func mappingPaths(_ map: (FileName) -> FileName) -> StageNote {
        var note = self
        note.inputs = inputs?.map { $0.mappingPath(map) }
        return note
    }
}
