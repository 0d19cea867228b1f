import Diagnostics
import Files
import FoundationEssentials
import XcodeModel

/// The `.xcmappingmodel` folders near an Xcode bundle.
///
/// They are searched in the bundle's folder and up to two folders below it. Apps also keep them in
/// a sibling of that folder, so the parent folder is searched in the same way. From there, a
/// mapping model counts only if its model path ends like the bundle's path.
struct XcodeMappings {
    private static let depthMax = 2
    private static let foldersMax = 1_000
    private static let suffix = ".xcmappingmodel"

    private var found: [XcodeMapping] = []
    /// The reasons why mapping models could not be read.
    private(set) var problems: [Diagnostic] = []

    /// Searches for mapping models near a bundle, and reads those of its models.
    ///
    /// - Parameter bundle: the path of an `.xcdatamodeld`; other models have no mapping models.
    init(near bundle: String) {
        let bundle = PathText.withoutSlashes(bundle)
        guard bundle.hasSuffix(".xcdatamodeld") else { return }
        let name = PathText.lastComponent(bundle)
        let folder = PathText.folder(of: bundle)
        for path in Self.paths(below: folder) {
            do throws(Diagnostic) {
                let mapping = try XcodeMappingReader.read(path)
                if Self.bundleName(mapping).map({ $0 == name }) ?? true { found.append(mapping) }
            } catch {
                problems.append(error)
            }
        }
        let known = Set(found.map { Self.resolved($0.file) })
        let whole = Self.resolved(bundle)
        for path in Self.paths(below: PathText.join(folder, "..")) {
            // Mappings outside the bundle are optional, so an unreadable one is skipped.
            guard let mapping = try? XcodeMappingReader.read(path),
                !known.contains(Self.resolved(mapping.file)),
                let model = mapping.destinationModelPath, PathText.hasFolder(model),
                whole.hasSuffix("/" + PathText.folder(of: model))
            else { continue }
            found.append(mapping)
        }
    }

    /// Returns the mapping model between two versions.
    ///
    /// - Throws: an error if there are several, or one that cannot be read.
    func mapping(
        from old: ModelVersions.Version, to new: ModelVersions.Version
    ) throws(RunFailure) -> XcodeMapping? {
        guard let source = old.name, let destination = new.name else { return nil }
        let fitting = found.filter { mapping in
            guard let from = mapping.sourceVersion, let to = mapping.destinationVersion else {
                // The mapping has no model paths, so use the folder's name.
                let name = PathText.lastComponent(mapping.folder)
                return name == "\(source)-\(destination)\(Self.suffix)"
                    || name == "\(source)to\(destination)\(Self.suffix)"
            }
            return from == source && to == destination
        }
        guard fitting.count > 1 else { return fitting.first }
        let names = fitting.map { "'\($0.folder)'" }.joined(separator: " and ")
        throw RunFailure(
            .configuration, code: "mapping.ambiguous",
            "Several mapping models are from '\(source)' to '\(destination)': \(names)",
            fix: "remove the ones that the app does not use")
    }

    /// Returns the bundle's name, such as `Tasks.xcdatamodeld` for
    /// `App/Tasks.xcdatamodeld/Tasks 2.xcdatamodel`.
    private static func bundleName(_ mapping: XcodeMapping) -> String? {
        mapping.destinationModelPath.flatMap { path in
            PathText.hasFolder(path) ? PathText.lastComponent(PathText.folder(of: path)) : nil
        }
    }

    private static func resolved(_ path: String) -> String {
        let whole = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path(
            percentEncoded: false)
        return PathText.components(of: whole).map { "/" + $0 }.joined()
    }

    /// Returns the mapping models in a folder and below it, sorted; skips folders that cannot be
    /// listed.
    private static func paths(below folder: String) -> [String] {
        var (paths, level, seen): ([String], [String], Int) = ([], [folder], 0)
        for _ in 0...depthMax {
            var next: [String] = []
            for folder in level where seen < foldersMax {
                seen += 1
                // Folders that this user cannot list are skipped.
                let names = (try? FileSystem.textNames(in: folder)) ?? []
                for name in names.sorted() where !PathText.isHidden(name) {
                    let path = PathText.join(folder, name)
                    if name.hasSuffix(suffix) {
                        paths.append(path)
                    } else if !name.utf8.contains(UInt8(ascii: ".")) {
                        if FileSystem.isFolder(path) { next.append(path) }
                    }
                }
            }
            level = next
        }
        return paths.sorted()
    }
}
