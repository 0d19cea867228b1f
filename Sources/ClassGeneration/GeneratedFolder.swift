package import Diagnostics
import Files
import FoundationEssentials

/// A folder that generated files stand in, beside others perhaps.
package struct GeneratedFolder {
    /// A file that is not as the model would have it.
    package struct Drift: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable {
            /// The model has it, the folder has not.
            case missing = "+"
            /// Both have it, with another text.
            case different = "~"
            /// The folder has it, the model has not.
            case stale = "-"
        }

        package var kind: Kind
        package var name: String

        /// `~ Task.swift: differs from the model`.
        package var text: String {
            let what =
                switch kind {
                case .missing: "is missing"
                case .different: "differs from the model"
                case .stale: "is no longer in the model"
                }
            return "\(kind.rawValue) \(name): \(what)"
        }
    }

    private let path: String
    private let header: String

    /// - Parameter header: the first line of the files that belong to this model.
    package init(_ path: String, header: String) {
        self.path = path
        self.header = header
    }

    /// What would have to change, by file name.
    package func drift(from files: [GeneratedFile]) throws(Diagnostic) -> [Drift] {
        var found: [Drift] = []
        for file in files {
            guard let text = try text(of: file.name) else {
                found.append(Drift(kind: .missing, name: file.name))
                continue
            }
            if text != file.text { found.append(Drift(kind: .different, name: file.name)) }
        }
        let names = Set(files.map(\.name))
        for name in try swiftFiles() where !names.contains(name) {
            if let text = try text(of: name), isOurs(text) {
                found.append(Drift(kind: .stale, name: name))
            }
        }
        return found.sorted { $0.name < $1.name }
    }

    /// Writes what differs and removes what is no longer in the model.
    ///
    /// - Returns: what was changed.
    /// - Throws: where a file of the same name is somebody else's, before anything is written,
    ///   unless it `overwrites`; where a file cannot be read or written.
    package func write(
        _ files: [GeneratedFile], overwrites: Bool = false
    ) throws(Diagnostic) -> [Drift] {
        let drift = try drift(from: files)
        for change in drift where change.kind == .different && !overwrites {
            guard let text = try text(of: change.name), !isOurs(text) else { continue }
            throw Diagnostic(
                code: "file.exists", "The file was not generated from this model",
                at: .file("\(path)/\(change.name)"),
                fix: "move it away, choose another folder, or give --force")
        }
        guard !drift.isEmpty else { return [] }
        do {
            try FileSystem.makeFolders(path)
        } catch {
            throw cannotWrite(path, error)
        }
        for change in drift { try apply(change, files) }
        return drift
    }

    private func apply(_ change: Drift, _ files: [GeneratedFile]) throws(Diagnostic) {
        let place = "\(path)/\(change.name)"
        do {
            if let file = files.first(where: { $0.name == change.name }) {
                try FileSystem.replace(place, with: Array(file.text.utf8))
            } else {
                try FileSystem.removeAll(place)
            }
        } catch {
            throw cannotWrite(place, error)
        }
    }

    private func isOurs(_ text: String) -> Bool {
        text == header || text.hasPrefix(header + "\n")
    }

    /// Nil where there is no such file.
    private func text(of name: String) throws(Diagnostic) -> String? {
        let place = "\(path)/\(name)"
        guard FileSystem.exists(place) else { return nil }
        do {
            return String(decoding: try Data(FileSystem.contents(place)), as: UTF8.self)
        } catch {
            throw Diagnostic(
                code: "file.read", "The file cannot be read: \(error)", at: .file(place))
        }
    }

    private func swiftFiles() throws(Diagnostic) -> [String] {
        guard FileSystem.exists(path) else { return [] }
        do {
            return try FileSystem.textNames(in: path)
                .filter { $0.hasSuffix(".swift") }
        } catch {
            throw Diagnostic(
                code: "file.read", "The folder cannot be read: \(error)", at: .file(path))
        }
    }

    private func cannotWrite(_ place: String, _ error: any Error) -> Diagnostic {
        Diagnostic(code: "file.write", "Cannot be written: \(error)", at: .file(place))
    }
}
