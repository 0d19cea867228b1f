import Files
import GraphStore
import RecordStreams

/// Converts between paths and their form in the notes of a store, relative to the spec's folder.
///
/// The notes identify the files even if a run starts in another working folder or the project
/// moves. A secret in a path is written as `${name}`, as in the spec, so the store does not contain
/// the secret.
struct NotedPaths: Sendable {
    /// The spec's folder as given.
    private let given: FileName
    /// The spec's folder as an absolute path without symbolic links.
    private let folder: FileName
    private let workingFolder: FileName
    private let secrets: [(name: String, text: String)]

    /// Creates the conversion for the notes of a spec's runs.
    ///
    /// - Parameter values: the parameters; without them, secrets in paths are not replaced.
    init(_ spec: PipelineSpec, _ values: ParameterValues? = nil) {
        self.init(folder: spec.folder, secrets: values?.secrets ?? [])
    }

    /// Creates the conversion for paths relative to a folder.
    ///
    /// - Parameter path: the folder of the spec.
    init(folder path: String, secrets: [(name: String, text: String)] = []) {
        self.secrets = secrets
        given = FileName(path)
        workingFolder = WorkingFolder.name
        folder = Self.real(workingFolder.joining(given))
    }

    /// Returns the path in the form of a note; names that are not files, such as `-`, are
    /// unchanged.
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

    /// Returns the path of a file in a note, relative to the folder as the spec gives it.
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

    /// Returns the folder as an absolute path without symbolic links, even if it does not exist.
    private static func real(_ folder: FileName) -> FileName {
        FileSystem.resolved(folder) ?? folder.normalized
    }
}

extension NotedPaths {
    /// Returns the entry of an input that is imported once.
    ///
    /// Older versions of etl wrote paths to the store as given.
    func known(_ file: InputFile, among inputs: [FileName: KnownInput]) -> KnownInput? {
        inputs[noted(file.path)] ?? inputs[file.path]
    }
}

/// A note, or a part of one, that contains paths.
///
/// Each type maps all of its members that have paths, so a note that contains it need not know
/// them.
protocol PathNote {
    /// Maps the paths in the value.
    mutating func mapPaths(_ map: (FileName) -> FileName)
}

extension PathNote {
    /// Returns the value with mapped paths.
    func mappingPaths(_ map: (FileName) -> FileName) -> Self {
        var note = self
        note.mapPaths(map)
        return note
    }
}

extension FileName: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) { self = map(self) }
}

extension Optional: PathNote where Wrapped: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) { self?.mapPaths(map) }
}

extension Array: PathNote where Element: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) {
        for place in indices { self[place].mapPaths(map) }
    }
}

extension ResumePoint: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) {
        position.mapPaths(map)
        section.mapPaths(map)
        inputs = Dictionary(
            inputs.map { (map($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        rejects.mapPaths(map)
        links.mapPaths(map)
        left.mapPaths(map)
        finished.mapPaths(map)
    }
}

extension InputPosition: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) { path.mapPaths(map) }
}

extension SectionNote: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) {
        end.mapPaths(map)
        finished.mapPaths(map)
    }
}

extension RejectFileNote: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) {
        source.mapPaths(map)
        path.mapPaths(map)
    }
}

extension LinkFileNote: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) {
        source.mapPaths(map)
        path.mapPaths(map)
    }
}

extension InputNote: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) { path.mapPaths(map) }
}

extension StageNote: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) { inputs.mapPaths(map) }
}
