import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing
import XcodeModel

@testable import GraphStore

/// Stores that we create from the models of apps, compared with the stores that Apple's framework
/// created from these models.
@Suite(
    "Created stores and specimens",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct CreatedStoreSpecimenTests {
    @Test(
        "a created store has the specimen's tables, columns, indexes, and metadata keys",
        arguments: CoreDataSpecimens.stores)
    func parts(_ store: CoreDataSpecimens.Store) throws {
        let folder = try TemporaryFolder()
        let original = try store.copy(to: folder.path)
        let wanted = try StoreParts(of: original)
        var options = StoreOptions()
        options.isReadOnly = true
        let cached = try PersistentContainer(model: nil, .sqlite(at: original, options: options))
        var models = ["cache": cached.model]
        if let bundle = store.bundle {
            let version: ManagedObjectModel = try #require(
                try Self.version(of: bundle, like: cached.model))
            models["bundle"] = version
        }
        for (source, model) in models {
            var options = StoreOptions()
            if wanted.statements["ACHANGE"] != nil { options.history = HistoryOptions() }
            let container = try PersistentContainer(
                model: model,
                .sqlite(at: folder.file("\(source).sqlite"), opening: .create, options: options))
            let created = try StoreParts(of: container.path)
            #expect(
                created.differences(from: wanted)
                    == KnownDifference.lines(of: store, framework: wanted.framework), "\(source)")
            // The model as JSON, and indexes that an interrupted load has not created yet.
            #expect(created.own == ["ETL_MODEL", "ETL_PENDING"])
        }
    }

    /// Returns the version of a bundle with the hashes of a model.
    private static func version(
        of bundle: String, like model: ManagedObjectModel
    ) throws -> ManagedObjectModel? {
        try FileManager.default.contentsOfDirectory(atPath: bundle)
            .filter { $0.hasSuffix(".xcdatamodel") }
            .map { try ManagedObjectModel(xcodeModel: bundle + "/" + $0) }
            .first { $0.versionHashes == model.versionHashes }
    }
}

/// A difference between a store that we create and a specimen.
private struct KnownDifference: Sendable {
    /// The reason for the difference.
    var reason: String
    /// Lines of `StoreParts.differences(from:)`.
    var lines: [String]
    /// Whether the difference is expected in a store of a framework version.
    var applies: @Sendable (CoreDataSpecimens.Store, _ framework: Int) -> Bool
}

extension KnownDifference {
    /// All known differences from the specimens.
    static let all = [
        KnownDifference(
            reason: "Framework versions before 973 do not write the digest; newer ones do",
            lines: ["+ key NSStoreModelVersionHashesDigest"],
            applies: { $1 < 973 }),
        KnownDifference(
            reason: "Framework versions before 1333 do not write the checksum; newer ones do",
            lines: ["+ key NSStoreModelVersionChecksumKey"],
            applies: { $1 < 1333 }),
        KnownDifference(
            reason: "The app added the key",
            lines: ["- key io.objc.Moody.CloudKitUserID"],
            applies: { store, _ in store.name.hasPrefix("Moody") }),
        KnownDifference(
            reason: constraintReason, lines: uniqueness(of: "GeographicRegion"),
            applies: { store, _ in
                ["Moody.moody", "Moody 2.moody", "Moody 3.moody"].contains(store.name)
            }),
        KnownDifference(
            reason: constraintReason, lines: uniqueness(of: "Continent"),
            applies: { store, _ in store.name == "Moody 4.moody" }),
        KnownDifference(
            reason: constraintReason, lines: uniqueness(of: "Country"),
            applies: { store, _ in ["Moody 4.moody", "Moody 5.moody"].contains(store.name) }),
        KnownDifference(
            reason: """
                The framework maintains derived attributes by triggers that call its own functions. \
                No other program could write a store that has them, so we compute the values when \
                we save
                """,
            lines: [
                "- CREATE TRIGGER Z_DA_ZBOOK_Book_pagesCount_SOURCE_INSERT",
                "- CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE",
                "- CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_INSERT",
                "- CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_DECREMENT",
                "- CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_INCREMENT",
            ],
            applies: { store, _ in store.name.hasPrefix("SampleModel2_") }),
    ]

    private static let constraintReason = """
        Framework version 637 wrote uniqueness constraints into CREATE TABLE; newer ones create \
        unique indexes
        """

    private static func uniqueness(of entity: String) -> [String] {
        [
            "- CONSTRAINT ZNUMERICISO3166CODE_ZUNIQUENESSDUMMY UNIQUE (ZNUMERICISO3166CODE,"
                + " ZUNIQUENESSDUMMY)) in Z\(entity.uppercased())",
            "+ CREATE UNIQUE INDEX Z_\(entity)_UNIQUE_numericISO3166Code_uniquenessDummy ON"
                + " Z\(entity.uppercased()) (ZNUMERICISO3166CODE COLLATE BINARY ASC,"
                + " ZUNIQUENESSDUMMY COLLATE BINARY ASC)",
        ]
    }

    /// Returns the lines of all differences for a store, sorted.
    static func lines(of store: CoreDataSpecimens.Store, framework: Int) -> [String] {
        all.filter { $0.applies(store, framework) }.flatMap(\.lines).sorted()
    }
}

/// The parts of a store, apart from its rows.
private struct StoreParts {
    /// The statements that created tables and indexes, and the names of triggers, by name.
    var statements: [String: String] = [:]
    /// The names of our own tables.
    var own: [String] = []
    /// The keys of the metadata's property list.
    var keys: Set<String>
    /// The version of the framework that wrote the metadata.
    var framework: Int

    init(of path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        let rows = try connection.prepare(
            "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name")
        while try rows.step() {
            let (name, sql) = (rows.string(0), rows.string(1))
            guard !name.hasPrefix("ETL_") else {
                own.append(name)
                continue
            }
            if sql.hasPrefix("CREATE TRIGGER ") {
                statements[name] = "CREATE TRIGGER \(name)"
                continue
            }
            // Constraints are split off, so that the columns before them are compared.
            let parts = sql.components(separatedBy: ", CONSTRAINT ")
            statements[name] = parts.count == 1 ? sql : parts[0] + " )"
            for part in parts.dropFirst() {
                statements["\(name) \(part)"] = "CONSTRAINT \(part) in \(name)"
            }
        }
        let metadata = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
        #expect(try metadata.step())
        let list = try PropertyListSerialization.propertyList(
            from: Data(metadata.bytes(0)), format: nil)
        let values = try #require(list as? [String: Any])
        keys = Set(values.keys)
        framework = try #require(values["NSPersistenceFrameworkVersion"] as? Int)
    }

    /// Returns the parts that only one of two stores has: `+` is a part of this store, `-` of the
    /// other.
    func differences(from other: StoreParts) -> [String] {
        var lines: [String] = []
        for name in Set(statements.keys).union(other.statements.keys)
        where statements[name] != other.statements[name] {
            lines += [("-", other.statements[name]), ("+", statements[name])].compactMap {
                mark, sql in sql.map { "\(mark) \($0)" }
            }
        }
        lines += other.keys.subtracting(keys).map { "- key \($0)" }
        lines += keys.subtracting(other.keys).map { "+ key \($0)" }
        return lines.sorted()
    }
}
