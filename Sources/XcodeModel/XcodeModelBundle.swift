package import Diagnostics
import Files
internal import FoundationEssentials

/// Finds the `contents` that a path means.
///
/// A bundle `Tasks.xcdatamodeld` is a folder of versions, each a folder `Tasks 2.xcdatamodel`
/// with one file `contents`; `.xccurrentversion` names the one that apps are built with. A bundle
/// with one version may do without. Apps hold it compiled: `Tasks.momd` with a file `Tasks 2.mom`
/// for each version, and the current one's name in `VersionInfo.plist`.
package struct XcodeModelBundle: Sendable {
    /// What a bundle holds.
    package enum Form: Sendable, CaseIterable {
        /// What Xcode edits.
        case source
        /// What apps are given.
        case compiled

        var bundleSuffix: String { self == .source ? ".xcdatamodeld" : ".momd" }
        var versionSuffix: String { self == .source ? ".xcdatamodel" : ".mom" }
        /// The property list that names the current version.
        var currentName: String { self == .source ? ".xccurrentversion" : "VersionInfo.plist" }
        /// Its key in the list.
        var currentKey: String {
            self == .source ? "_XCCurrentVersionName" : "NSManagedObjectModel_CurrentVersionName"
        }
    }

    /// The folder.
    package let path: String
    /// Whether it is what Xcode edits.
    package let form: Form
    /// The names of its versions, without their suffix, sorted so that 10 follows 9.
    package let versions: [String]
    /// The version that apps are built with; nil where several stand and none is named.
    package let current: String?

    /// Whether a path is one of Xcode's models rather than a YAML file, by its name.
    package static func isXcodeModel(_ path: String) -> Bool {
        let name = trimmed(path)
        return
            (Form.allCases.flatMap { [$0.bundleSuffix, $0.versionSuffix] }
            + [Form.source.versionSuffix + "/contents"]).contains { name.hasSuffix($0) }
    }

    /// The path without slashes at its end.
    static func trimmed(_ path: String) -> String {
        PathText.withoutSlashes(path)
    }

    /// The file of a version of the bundle.
    package func contentsPath(of version: String) -> String {
        form == .compiled ? path(of: version) : path(of: version) + "/contents"
    }

    /// The path that names a version of the bundle.
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

    /// The bundle that a path is about, and the version: the one that the path names, or else the
    /// current one.
    ///
    /// - Returns: `nil` if the path is not a bundle, or a version in one.
    package static func bundleAndVersion(
        of path: String
    ) -> (bundle: XcodeModelBundle, version: String)? {
        var path = trimmed(path)
        let file = Form.source.versionSuffix + "/contents"
        if path.hasSuffix(file) { path = String(path.dropLast("/contents".count)) }
        if let form = Form.allCases.first(where: { path.hasSuffix($0.versionSuffix) }) {
            let folder = PathText.folder(of: path)
            guard folder.hasSuffix(form.bundleSuffix), let bundle = try? open(folder)
            else { return nil }
            let name = PathText.lastComponent(path).dropLast(form.versionSuffix.count)
            return bundle.versions.contains(String(name)) ? (bundle, String(name)) : nil
        }
        guard let bundle = try? open(path), let current = bundle.current else { return nil }
        return (bundle, current)
    }

    // MARK: The current version

    /// What the property list of either form says; whatever else it holds is no matter here.
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
                code: "model.current-version", "The file is no property list of texts",
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

    /// `Tasks 9` before `Tasks 10`: runs of digits compare as numbers.
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
