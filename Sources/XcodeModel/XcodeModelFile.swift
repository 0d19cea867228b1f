package import Diagnostics
import Files
internal import FoundationEssentials
package import GraphModel

/// Functions that read and write models in Xcode's format by their paths.
package enum XcodeModelFile {
    private typealias Form = XcodeModelBundle.Form

    /// Reads the current version of a bundle, a version's folder, a `contents` file, or a compiled
    /// model (`.momd`, `.mom`); the model is `nil` if there is an error.
    package static func read(
        _ path: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        do throws(Diagnostic) {
            let file = try contentsPath(of: path)
            let bytes = try contents(of: file)
            if file.hasSuffix(Form.compiled.versionSuffix) { return readCompiled(bytes, file) }
            return ContentsReader.read(bytes, file: file)
        } catch {
            return (nil, [error])
        }
    }

    /// Returns the bytes of a model file.
    static func contents(
        of file: String, code: String = "file.read"
    ) throws(Diagnostic) -> [UInt8] {
        do throws(SystemFault) {
            return try FileSystem.contents(file)
        } catch {
            throw Diagnostic(
                code: code, "The file cannot be read: \(error.text)", at: .file(file),
                fault: Fault(.spec, error.kind))
        }
    }

    /// Reads a compiled model, which has the same format as the archive in a store.
    private static func readCompiled(
        _ bytes: [UInt8], _ file: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        do throws(ArchiveFault) {
            let compiled = try CachedModel(reading: bytes)
            return (
                compiled.model,
                compiled.leftOut.map {
                    Diagnostic(.warning, code: "model.left-out", $0, at: .file(file))
                }
            )
        } catch {
            let diagnostic = Diagnostic(
                code: "model.archive", "The compiled model cannot be read: \(error.message)",
                at: .file(file), fix: "give the .xcdatamodeld that it was compiled from")
            return (nil, [diagnostic])
        }
    }

    /// Returns the path of the file to read: `contents`, or a compiled version.
    package static func contentsPath(of path: String) throws(Diagnostic) -> String {
        let path = XcodeModelBundle.trimmed(path)
        guard FileSystem.exists(path) else {
            throw missing(path)
        }
        guard FileSystem.isFolder(path) else { return path }
        if path.hasSuffix(Form.source.versionSuffix) { return try versionContents(path) }
        let bundle = try XcodeModelBundle.open(path)
        guard let current = bundle.current else {
            let names = bundle.versions.map { "'\($0)'" }.joined(separator: ", ")
            throw Diagnostic(
                code: "model.current-version",
                "The bundle has several versions, and none is marked as current: \(names)",
                at: .file(path),
                fix: "name one, such as `\(path)/\(bundle.versions[0])"
                    + "\(bundle.form.versionSuffix)`")
        }
        let file = bundle.contentsPath(of: current)
        return bundle.form == .compiled
            ? file : try versionContents("\(path)/\(current)\(bundle.form.versionSuffix)")
    }

    private static func versionContents(_ folder: String) throws(Diagnostic) -> String {
        let file = folder + "/contents"
        if FileSystem.exists(file) { return file }
        // Xcode 3 wrote keyed archives of its editor's own classes.
        if FileSystem.exists(folder + "/elements") {
            throw Diagnostic(
                code: "model.old-format",
                "This model is in the binary format of Xcode 3, which is not read",
                at: .file(folder),
                fix: "open it in a newer Xcode and save it, or run `xcrun momc` there")
        }
        throw Diagnostic(
            code: "model.no-contents", "The version holds no file 'contents'", at: .file(folder))
    }

    private static func missing(_ path: String) -> Diagnostic {
        // The path names a version in a bundle, so list the bundle's versions.
        if let suffix = Form.allCases.map(\.versionSuffix).first(where: path.hasSuffix),
            Form.allCases.map(\.bundleSuffix).contains(
                where: PathText.folder(of: path).hasSuffix)
        {
            let name = PathText.lastComponent(path).dropLast(suffix.count)
            // A folder that is not a bundle has no versions to list.
            if let bundle = try? XcodeModelBundle.open(PathText.folder(of: path)) {
                let hint =
                    Suggestion.closest(to: String(name), among: bundle.versions)
                    .map { ". Did you mean '\($0)'?" }
                    ?? "; it has \(bundle.versions.joined(separator: ", "))"
                return Diagnostic(
                    code: "file.missing", "The bundle has no version '\(name)'" + hint,
                    at: .file(path))
            }
        }
        return Diagnostic(code: "file.missing", "The model does not exist", at: .file(path))
    }

    // MARK: Writing

    /// Writes a model, and returns a warning for each part that the format cannot express.
    ///
    /// - Parameter path: `….xcdatamodeld`, a bundle, which gets one version of the same name and
    ///   marks it as current; `….xcdatamodel`, a single version; or any other name for a
    ///   `contents` file.
    package static func write(
        _ model: ManagedObjectModel, to path: String
    ) throws(Diagnostic) -> [Diagnostic] {
        let path = XcodeModelBundle.trimmed(path)
        let (text, warnings) = ContentsWriter.text(of: model)
        if path.hasSuffix(Form.source.bundleSuffix) {
            let name = PathText.lastComponent(path).dropLast(Form.source.bundleSuffix.count)
            let version = "\(name)\(Form.source.versionSuffix)"
            try write(text, to: "\(path)/\(version)/contents")
            try write(currentVersion(version), to: "\(path)/\(Form.source.currentName)")
        } else if path.hasSuffix(Form.source.versionSuffix) {
            try write(text, to: "\(path)/contents")
        } else {
            try write(text, to: path)
        }
        return warnings
    }

    private static func currentVersion(_ name: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>\(Form.source.currentKey)</key>
        \t<string>\(XMLWriter.escaped(name))</string>
        </dict>
        </plist>

        """
    }

    private static func write(_ text: String, to path: String) throws(Diagnostic) {
        do {
            if PathText.hasFolder(path) {
                try FileSystem.makeFolders(PathText.folder(of: path))
            }
            try FileSystem.replace(path, with: Array(text.utf8))
        } catch {
            throw Diagnostic(
                code: "file.write", "The file cannot be written: \(error)", at: .file(path))
        }
    }
}
