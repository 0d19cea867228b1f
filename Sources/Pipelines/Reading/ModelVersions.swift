import Diagnostics
import GraphModel
import GraphStore
import RecordStreams
import XcodeModel

/// The versions of a model, oldest first, up to the target version of a store.
///
/// The older versions are listed under `history` in a YAML file, or are the versions of an Xcode
/// bundle whose names sort first.
struct ModelVersions {
    struct Version {
        /// The name that mapping files use; `nil` if neither the model nor its file has one.
        var label: String?
        /// The version's name in an Xcode bundle.
        var name: String?
        var model: ManagedObjectModel
    }

    /// The versions up to the target version; empty if a model has errors.
    var all: [Version] = []
    /// The versions of the bundle after the target version.
    var later: [Version] = []
    /// The bundle, or the model's file if it is not in a bundle; mappings are next to it.
    var path: String

    /// The models up to the target version.
    var history: ModelHistory { ModelHistory(all.map(\.model)) }

    /// All versions that a store may have.
    var known: [ManagedObjectModel] { (all + later).map(\.model) }

    /// Reads a model and its other versions.
    ///
    /// - Parameter path: a model in the form for `--to`. A version in a bundle is the target
    ///   version.
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
            // A later version is optional, so ignore its errors.
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

    /// Returns the path of the version in an Xcode bundle with which a store was created.
    ///
    /// - Parameter path: the bundle, or a version in it.
    /// - Returns: `nil` if the path is neither, or if the store has none of the versions.
    static func fittingVersion(
        of path: String, storeAt store: String, waiting patience: LockPatience? = nil
    ) -> String? {
        guard let (bundle, _) = XcodeModelBundle.bundleAndVersion(of: path) else { return nil }
        let versions = read(path).versions
        let known = versions.all + versions.later
        let history = ModelHistory(known.map(\.model))
        // The caller reports problems of the store.
        guard
            let place = (try? history.versionIndex(ofStoreAt: store, waiting: patience)) ?? nil,
            let name = known[place].name
        else { return nil }
        return bundle.path(of: name)
    }

    /// Returns the advice to name the version in an Xcode bundle with which a store was created.
    ///
    /// - Parameters:
    ///   - path: the bundle, or a version in it.
    ///   - key: the option or key that names the version, such as `--model `.
    /// - Returns: `nil` if no version fits.
    static func advice(
        forStoreAt store: String, bundle path: String, key: String
    ) -> String? {
        fittingVersion(of: path, storeAt: store).map {
            "name the version that the store has: `\(key)\($0)`"
        }
    }

    /// Returns the path of the version in a bundle with which a store was created, unless it is the
    /// current one.
    ///
    /// - Parameters:
    ///   - current: the current version of the bundle.
    ///   - path: a path that may be a bundle.
    /// - Returns: `nil` also if the path is not a bundle, or is one version of it.
    static func otherVersion(
        than current: ManagedObjectModel, ofBundle path: String, storeAt store: String,
        waiting patience: LockPatience
    ) -> String? {
        // A path that is not a bundle has no other versions; reading the model reports its errors.
        guard let bundle = try? XcodeModelBundle.open(path), bundle.versions.count > 1,
            FileDescriptor.size(store) ?? 0 > 0,
            // The store is opened later, which reports its problems.
            let isCurrent = try? ModelHistory([current]).versionIndex(
                ofStoreAt: store, waiting: patience) != nil,
            !isCurrent
        else { return nil }
        return fittingVersion(of: path, storeAt: store, waiting: patience)
    }

    /// Returns the command that migrates a store to the model of a file or a spec.
    static func migration(of store: String, to file: String) -> String {
        "etl migrate \(CommandExample.shell(store)) --to \(CommandExample.shell(file))"
    }

    /// Returns the index of the version with which a store was created; `nil` if it is another one.
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
