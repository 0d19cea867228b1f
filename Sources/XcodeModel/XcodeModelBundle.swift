package import Diagnostics
internal import FoundationEssentials

/// Finds the `contents` that a path means.
///
/// A bundle `Tasks.xcdatamodeld` is a folder of versions, each a folder `Tasks 2.xcdatamodel`
/// with one file `contents`; `.xccurrentversion` names the one that apps are built with. A bundle
/// with one version may do without.
package struct XcodeModelBundle: Sendable {
    /// The folder.
    package let path: String
    /// The names of its versions, without `.xcdatamodel`, sorted so that 10 follows 9.
    package let versions: [String]
    /// The version that apps are built with; nil where several stand and none is named.
    package let current: String?

    static let bundleSuffix = ".xcdatamodeld"
    static let versionSuffix = ".xcdatamodel"

    /// Whether a path is one of Xcode's models rather than a YAML file, by its name.
    package static func isXcodeModel(_ path: String) -> Bool {
        let name = trimmed(path)
        return [bundleSuffix, versionSuffix, ".xcdatamodel/contents", ".mom", ".momd"]
            .contains { name.hasSuffix($0) }
    }

    /// The path without slashes at its end.
    static func trimmed(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    /// The file of a version of the bundle.
    package func contentsPath(of version: String) -> String {
        "\(path)/\(version)\(Self.versionSuffix)/contents"
    }

    /// Reads a bundle's list of versions.
    package static func open(_ path: String) throws(Diagnostic) -> XcodeModelBundle {
        let path = trimmed(path)
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw Diagnostic(
                code: "file.read", "The bundle cannot be listed: \(error)", at: .file(path))
        }
        let versions = names.filter { $0.hasSuffix(versionSuffix) }
            .map { String($0.dropLast(versionSuffix.count)) }.sorted(by: precedes)
        guard let first = versions.first else {
            throw Diagnostic(
                code: "model.no-version", "The bundle holds no \(versionSuffix) folder",
                at: .file(path))
        }
        guard names.contains(currentName) else {
            return XcodeModelBundle(
                path: path, versions: versions, current: versions.count == 1 ? first : nil)
        }
        let current = try currentVersion("\(path)/\(currentName)", among: versions)
        return XcodeModelBundle(path: path, versions: versions, current: current)
    }

    // MARK: The current version

    static let currentName = ".xccurrentversion"
    static let currentKey = "_XCCurrentVersionName"

    private static func currentVersion(
        _ file: String, among versions: [String]
    ) throws(Diagnostic) -> String {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Diagnostic(code: "file.read", "The file cannot be read", at: .file(file))
        }
        let entries: [String: String]
        do {
            entries = try PropertyListDecoder().decode([String: String].self, from: data)
        } catch {
            throw Diagnostic(
                code: "model.current-version", "The file is no property list of texts",
                at: .file(file), fix: "name a version: `BUNDLE/VERSION\(versionSuffix)`")
        }
        guard let name = entries[currentKey] else {
            throw Diagnostic(
                code: "model.current-version", "The file names no current version (\(currentKey))",
                at: .file(file), fix: "name a version: `BUNDLE/VERSION\(versionSuffix)`")
        }
        let version =
            name.hasSuffix(versionSuffix) ? String(name.dropLast(versionSuffix.count)) : name
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
