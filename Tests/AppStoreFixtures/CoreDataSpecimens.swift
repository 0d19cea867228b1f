import Foundation

/// Stores and models that other people's apps wrote with Apple's framework.
///
/// They are in `../shared/specimens`, next to the checkout, or where `ETL_SPECIMENS` says. They are
/// not part of the repository, so tests that need them use
/// `.enabled(if: CoreDataSpecimens.arePresent, CoreDataSpecimens.absence)`.
package enum CoreDataSpecimens {
    /// The folder of all specimens.
    package static let root: String = {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return ProcessInfo.processInfo.environment["ETL_SPECIMENS"]
            ?? checkout.deletingLastPathComponent().path + "/shared/specimens"
    }()

    /// Whether the folders of stores and of models exist.
    package static let arePresent =
        FileManager.default.fileExists(atPath: root + "/coredata")
        && FileManager.default.fileExists(atPath: root + "/xcdatamodel")

    /// The reason why a test is skipped.
    package static let absence = "../shared/specimens is absent"

    /// One store, with the bundle of its app's models, if it exists.
    package struct Store: Sendable, CustomStringConvertible {
        /// The file; open a copy, because SQLite may checkpoint its write-ahead log.
        package let path: String
        /// The `.xcdatamodeld` of the same app.
        package let bundle: String?

        /// The file's name, such as `Bookmarks_V3.sqlite`.
        package var name: String { URL(filePath: path).lastPathComponent }
        package var description: String { name }

        /// Copies the store and its write-ahead log into a folder.
        ///
        /// - Returns: The path of the copy.
        package func copy(to folder: String) throws -> String {
            let target = folder + "/" + name
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
            }
            return target
        }
    }

    /// All stores, sorted by path; empty if the specimens are absent.
    package static let stores: [Store] = paths(below: "coredata") {
        $0.hasSuffix(".sqlite") || $0.hasSuffix(".moody")
    }.map { Store(path: $0, bundle: bundle(of: $0)) }

    /// The folders of all model versions (`….xcdatamodel`), sorted by path.
    package static let models: [String] = paths(below: "xcdatamodel") {
        $0.hasSuffix(".xcdatamodel")
    }

    private static let bundleNames: [(store: String, bundle: String)] = [
        ("CoreDataMigration_Example_", "CoreDataMigration_Example.xcdatamodeld"),
        ("Moody", "Migrations/Migrations/Moody.xcdatamodeld"),
        ("SampleModel_", "SampleModel/SampleModel.xcdatamodeld"),
        ("SampleModel3_", "SampleModel3/SampleModel3.xcdatamodeld"),
        ("Bookmarks_", "BookmarksModel.xcdatamodeld"),
        ("SyncMetadata_", "SyncMetadata.xcdatamodeld"),
    ]

    private static func bundle(of store: String) -> String? {
        let name = URL(filePath: store).lastPathComponent
        guard let wanted = bundleNames.first(where: { name.hasPrefix($0.store) }) else {
            return nil
        }
        return paths(below: "coredata") { $0.hasSuffix("/" + wanted.bundle) }.first
    }

    private static func paths(
        below folder: String, where isWanted: (String) -> Bool
    ) -> [String] {
        let names = FileManager.default.enumerator(atPath: root + "/" + folder)
        return (names?.compactMap { $0 as? String } ?? []).map { "\(root)/\(folder)/\($0)" }
            .filter(isWanted).sorted()
    }
}
