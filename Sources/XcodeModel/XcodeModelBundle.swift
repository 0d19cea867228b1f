package import Diagnostics
import Files
internal import FoundationEssentials

/// A bundle of model versions.
///
/// A bundle `Tasks.xcdatamodeld` is a folder of versions. Each version is a folder such as
/// `Tasks 2.xcdatamodel` with one file, `contents`. The file `.xccurrentversion` names the version
/// that apps are built with; a bundle with one version does not need it. Apps contain the compiled
/// form: `Tasks.momd` with a file `Tasks 2.mom` for each version, and the name of the current
/// version in `VersionInfo.plist`.
package struct XcodeModelBundle: Sendable {
    /// The form of a bundle.
    package enum Form: Sendable, CaseIterable {
        /// The form that Xcode edits.
        case source
        /// The form that apps contain.
        case compiled

        var bundleSuffix: String { self == .source ? ".xcdatamodeld" : ".momd" }
        var versionSuffix: String { self == .source ? ".xcdatamodel" : ".mom" }
        /// The property list that names the current version.
        var currentName: String { self == .source ? ".xccurrentversion" : "VersionInfo.plist" }
        /// The key of that version's name in the list.
        var currentKey: String {
            self == .source ? "_XCCurrentVersionName" : "NSManagedObjectModel_CurrentVersionName"
        }
    }

    /// The path of the folder.
    package let path: String
    /// The form of the bundle.
    package let form: Form
    /// The names of the versions, without suffixes, sorted so that 10 follows 9.
    package let versions: [String]
    /// The version that apps are built with; `nil` if several versions exist and none is marked.
    package let current: String?

    /// Returns whether a path names a model in Xcode's format rather than a YAML file.
    package static func isXcodeModel(_ path: String) -> Bool {
        let name = trimmed(path)
        return
            (Form.allCases.flatMap { [$0.bundleSuffix, $0.versionSuffix] }
            + [Form.source.versionSuffix + "/contents"]).contains { name.hasSuffix($0) }
    }

    /// Returns the path without trailing slashes.
    static func trimmed(_ path: String) -> String {
        PathText.withoutSlashes(path)
    }

    /// Returns the path of the file that contains a version.
    package func contentsPath(of version: String) -> String {
        form == .compiled ? path(of: version) : path(of: version) + "/contents"
    }

    /// Returns the path of a version in the bundle.
    package func path(of version: String) -> String {
        "\(path)/\(version)\(form.versionSuffix)"
    }

    /// Reads a bundle's list of versions.
    package static func open(_ path: String) throws(Diagnostic) -> XcodeModelBundle {
        let path = trimmed(path)
        let form: Form = path.hasSuffix(Form.compiled.bundleSuffix) ? .compiled : .source
        let names: [String]
        do {
            names = try FileSystem.textNames(in: path)
        } catch {
            throw Diagnostic(
                code: "file.read", "The bundle cannot be listed: \(error)", at: .file(path))
        }
        let versions = names.filter { $0.hasSuffix(form.versionSuffix) }
            .map { String($0.dropLast(form.versionSuffix.count)) }.sorted(by: precedes)
        guard let first = versions.first else {
            throw Diagnostic(
                code: "model.no-version", "The bundle holds no \(form.versionSuffix)",
                at: .file(path))
        }
        guard names.contains(form.currentName) else {
            return XcodeModelBundle(
                path: path, form: form, versions: versions,
                current: versions.count == 1 ? first : nil)
        }
        let current = try currentVersion("\(path)/\(form.currentName)", form, among: versions)
        return XcodeModelBundle(path: path, form: form, versions: versions, current: current)
    }

    /// Returns the bundle of a path, with the version that the path names, or else the current one.
    ///
    /// - Returns: `nil` if the path is neither a bundle nor a version in one.
    package static func bundleAndVersion(
        of path: String
    ) -> (bundle: XcodeModelBundle, version: String)? {
        var path = trimmed(path)
        let file = Form.source.versionSuffix + "/contents"
        if path.hasSuffix(file) { path = String(path.dropLast("/contents".count)) }
        if let form = Form.allCases.first(where: { path.hasSuffix($0.versionSuffix) }) {
            let folder = PathText.folder(of: path)
            // A path that is not a bundle has no version; reading it as a model reports the reason.
            guard folder.hasSuffix(form.bundleSuffix), let bundle = try? open(folder)
            else { return nil }
            let name = PathText.lastComponent(path).dropLast(form.versionSuffix.count)
            return bundle.versions.contains(String(name)) ? (bundle, String(name)) : nil
        }
        // A path that is not a bundle has no version; reading it as a model reports the reason.
        guard let bundle = try? open(path), let current = bundle.current else { return nil }
        return (bundle, current)
    }

    // MARK: The current version

    /// The current version's name in the property list of either form; other keys are ignored.
    private struct VersionList: Decodable {
        var source: String?
        var compiled: String?

        enum CodingKeys: String, CodingKey {
            case source = "_XCCurrentVersionName"
            case compiled = "NSManagedObjectModel_CurrentVersionName"
        }
    }

    private static func currentVersion(
        _ file: String, _ form: Form, among versions: [String]
    ) throws(Diagnostic) -> String {
        let data = Data(try XcodeModelFile.contents(of: file))
        let fix = "name a version: `BUNDLE/VERSION\(form.versionSuffix)`"
        let list: VersionList
        do {
            list = try PropertyListDecoder().decode(VersionList.self, from: data)
        } catch {
            throw Diagnostic(
                code: "model.current-version", "The file is not a property list of strings",
                at: .file(file), fix: fix)
        }
        guard let name = form == .source ? list.source : list.compiled else {
            throw Diagnostic(
                code: "model.current-version",
                "The file names no current version (\(form.currentKey))", at: .file(file), fix: fix)
        }
        let suffix = form.versionSuffix
        let version = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        guard versions.contains(version) else {
            throw Diagnostic(
                code: "model.current-version",
                "The current version '\(name)' is not in the bundle"
                    + Suggestion.phrase(for: version, among: versions), at: .file(file))
        }
        return version
    }

    /// Returns whether a name sorts before another: `Tasks 9` before `Tasks 10`.
    ///
    /// Sequences of digits are compared as numbers.
    static func precedes(_ left: String, _ right: String) -> Bool {
        let (a, b) = (parts(left), parts(right))
        for (x, y) in zip(a, b) where x != y {
            if let m = Int(x), let n = Int(y), m != n { return m < n }
            return x < y
        }
        return a.count == b.count ? left < right : a.count < b.count
    }

    private static func parts(_ name: String) -> [String] {
        var parts: [String] = []
        for character in name {
            if let last = parts.last?.last,
                last.isWholeNumber == character.isWholeNumber
            {
                parts[parts.count - 1].append(character)
            } else {
                parts.append(String(character))
            }
        }
        return parts
    }
}
