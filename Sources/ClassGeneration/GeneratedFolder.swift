package import Diagnostics
import Files
import FoundationEssentials

/// A folder that contains generated files and possibly other files.
package struct GeneratedFolder {
    /// A difference between the folder and the model.
    package struct Drift: Sendable, Hashable {
        /// The way in which a file differs; the raw value is its mark in reports.
        package enum Kind: String, Sendable, Hashable {
            /// The file is in the model but not in the folder.
            case missing = "+"
            /// The file is in both, with different contents.
            case different = "~"
            /// The file is in the folder but not in the model.
            case stale = "-"
        }

        /// The way in which the file differs from the model.
        package var kind: Kind
        /// The file's name in the folder, such as `Task.swift`.
        package var name: String

        /// A line such as `~ Task.swift: differs from the model`.
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

    /// Creates the folder's description, without access to the file system.
    ///
    /// - Parameter header: the first line of the files that belong to this model.
    package init(_ path: String, header: String) {
        self.path = path
        self.header = header
    }

    /// Returns the required changes, sorted by file name.
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

    /// Writes the files that differ and deletes the files that are no longer in the model.
    ///
    /// - Returns: the changes.
    /// - Throws: a diagnostic if a file cannot be read or written. Also, before anything is written,
    ///   if a file of the same name was not generated from this model and `overwrites` is false.
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

    /// Returns the contents of a file; `nil` if it does not exist.
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
