import Diagnostics
import GraphModel
import GraphStore
import XcodeModel

/// The versions of a model, oldest first, up to the one that a store is to have.
///
/// The older versions are named under `history` of a YAML file, or they are the versions of an
/// Xcode bundle whose names come first.
struct ModelVersions {
    struct Version {
        /// The name that mapping files use; `nil` if neither the model nor its file has one.
        var label: String?
        /// The version's name in an Xcode bundle.
        var name: String?
        var model: ManagedObjectModel
    }

    /// The versions up to the wanted one; empty if a model has errors.
    var all: [Version] = []
    /// The versions of the bundle after the wanted one.
    var later: [Version] = []
    /// The bundle, or the model's file if it is not in a bundle; mappings are next to it.
    var path: String

    /// The models up to the wanted one.
    var history: ModelHistory { ModelHistory(all.map(\.model)) }

    /// Every version that a store may have.
    var known: [ManagedObjectModel] { (all + later).map(\.model) }

    /// Reads a model and its other versions.
    ///
    /// - Parameter path: A model as `--to` takes it. A version in a bundle is the wanted one.
    static func read(_ path: String) -> (versions: ModelVersions, diagnostics: [Diagnostic]) {
        let (model, diagnostics) = ModelSource.readOrStored(path)
        var versions = ModelVersions(path: path)
        var problems = diagnostics.filter { $0.severity == .error }
        guard let model, problems.isEmpty else { return (versions, diagnostics) }
        func others(_ files: [(file: String, name: String?)]) -> [Version] {
            files.compactMap { file, name in
                let (model, diagnostics) = ModelSource.read(file)
                problems += diagnostics.filter { $0.severity == .error }
                return model.map { Version($0, name) }
            }
        }
        if let (bundle, wanted) = XcodeModelBundle.bundleAndVersion(of: path),
            let place = bundle.versions.firstIndex(of: wanted)
        {
            versions.path = bundle.path
            let files = bundle.versions.map {
                (file: bundle.contentsPath(of: $0), name: $0 as String?)
            }
            versions.all = others(Array(files[..<place])) + [Version(model, wanted)]
            // A later version that cannot be read is not needed.
            let needed = problems
            versions.later = others(Array(files[(place + 1)...]))
            problems = needed
        } else {
            let folder = PathText.folder(of: path)
            let older = ModelSource.reading(path).history
            versions.all =
                others(older.map { (PathText.join(folder, $0.name), nil) }) + [Version(model, nil)]
        }
        return (problems.isEmpty ? versions : ModelVersions(path: path), problems)
    }

    /// The path of the version in an Xcode bundle that a store was made with.
    ///
    /// - Parameter path: the bundle, or a version in it.
    /// - Returns: `nil` if the path names neither, or if the store has none of the versions.
    static func fittingVersion(
        of path: String, storeAt store: String, waiting patience: LockPatience? = nil
    ) -> String? {
        guard let (bundle, _) = XcodeModelBundle.bundleAndVersion(of: path) else { return nil }
        let versions = read(path).versions
        let known = versions.all + versions.later
        let history = ModelHistory(known.map(\.model))
        // The caller reports what is wrong with the store.
        guard
            let place = (try? history.versionIndex(ofStoreAt: store, waiting: patience)) ?? nil,
            let name = known[place].name
        else { return nil }
        return bundle.path(of: name)
    }

    /// The advice to name the version in an Xcode bundle that a store was made with.
    ///
    /// - Parameters:
    ///   - path: the bundle, or a version in it.
    ///   - key: what names the version, such as `--model `.
    /// - Returns: `nil` if no version fits.
    static func advice(
        forStoreAt store: String, bundle path: String, key: String,
        waiting patience: LockPatience? = nil
    ) -> String? {
        fittingVersion(of: path, storeAt: store, waiting: patience).map {
            "name the version that the store has: `\(key)\($0)`"
        }
    }

    /// The path of the version in a bundle that a store was made with, if it is not the current one.
    ///
    /// - Parameters:
    ///   - current: the current version of the bundle.
    ///   - path: a path that may name a bundle.
    /// - Returns: `nil` also if the path names no bundle, or one version of it.
    static func otherVersion(
        than current: ManagedObjectModel, ofBundle path: String, storeAt store: String,
        waiting patience: LockPatience
    ) -> String? {
        guard let bundle = try? XcodeModelBundle.open(path), bundle.versions.count > 1,
            FileDescriptor.size(store) ?? 0 > 0,
            // The store is opened later, and what is wrong with it is reported then.
            let isCurrent = try? ModelHistory([current]).versionIndex(
                ofStoreAt: store, waiting: patience) != nil,
            !isCurrent
        else { return nil }
        return fittingVersion(of: path, storeAt: store, waiting: patience)
    }

    /// The index of the version that a store was made with; `nil` if it is another one.
    func place(ofStoreAt path: String) -> Int? {
        // The migration itself reports a store that cannot be read.
        (try? history.versionIndex(ofStoreAt: path)) ?? nil
    }
}

extension ModelVersions.Version {
    fileprivate init(_ model: ManagedObjectModel, _ name: String?) {
        let identifier = model.versionIdentifiers.first { !$0.isEmpty }
        self.init(label: identifier ?? name, name: name, model: model)
    }
}
