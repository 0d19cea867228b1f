import Diagnostics
import GraphModel
import GraphStore
import XcodeModel

/// The versions of a model, oldest first, the wanted one last.
///
/// The older ones stand under `history` of a YAML file, or are the versions of an Xcode bundle that
/// come before the current one by their names.
struct ModelVersions {
    struct Version {
        /// By which mappings are named; nil where neither the model nor its file has a name.
        var label: String?
        var model: ManagedObjectModel
    }

    var all: [Version]

    /// The models alone.
    var history: ModelHistory { ModelHistory(all.map(\.model)) }

    /// - Returns: no versions where a model is wrong.
    static func read(_ path: String) -> (versions: ModelVersions, diagnostics: [Diagnostic]) {
        let (model, diagnostics) = ModelSource.readOrStored(path)
        var versions = ModelVersions(all: [])
        var problems = diagnostics.filter { $0.severity == .error }
        guard let model, problems.isEmpty else { return (versions, diagnostics) }
        let (older, name) = olderFiles(path)
        for (file, label) in older {
            let (model, diagnostics) = ModelSource.read(file)
            problems += diagnostics.filter { $0.severity == .error }
            if let model { versions.add(model, label) }
        }
        versions.add(model, name)
        return (problems.isEmpty ? versions : ModelVersions(all: []), problems)
    }

    private mutating func add(_ model: ManagedObjectModel, _ name: String?) {
        let identifier = model.versionIdentifiers.first { !$0.isEmpty }
        all.append(Version(label: identifier ?? name, model: model))
    }

    /// The files of older versions, each with a name for versions that have none of their own, and
    /// such a name for the model itself.
    private static func olderFiles(_ path: String) -> ([(file: String, label: String?)], String?) {
        if let bundle = try? XcodeModelBundle.open(path), let current = bundle.current,
            let place = bundle.versions.firstIndex(of: current)
        {
            return (
                bundle.versions[..<place].map { (bundle.contentsPath(of: $0), $0) }, current
            )
        }
        let reading = ModelSource.reading(path)
        let folder = PathText.folder(of: path)
        return (reading.history.map { (PathText.join(folder, $0.name), nil) }, nil)
    }

    /// The place of the version that a store was made with; nil of none of them.
    func place(ofStoreAt path: String) -> Int? {
        // What is wrong with the store is told when it is migrated.
        (try? history.versionIndex(ofStoreAt: path)) ?? nil
    }
}
