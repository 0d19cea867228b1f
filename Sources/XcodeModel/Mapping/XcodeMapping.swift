package import Diagnostics

/// A migration between two versions of a model, as described by an `.xcmappingmodel`.
///
/// Xcode saves the folder's only file, `xcmapping.xml`, as a Core Data XML store of its editor's
/// objects: one mapping model, its entity mappings, and their property mappings.
package struct XcodeMapping: Sendable {
    /// The mapping of one old entity to one new entity.
    package struct Entity: Sendable {
        /// The name that expressions of other mappings use, such as `PersonToPerson`.
        package var name: String
        /// The old entity; `nil` if the mapping only adds the new one.
        package var source: String?
        /// The new entity; `nil` if the mapping only removes the old one.
        package var destination: String?
        /// The app's subclass of `NSEntityMigrationPolicy`.
        package var policyClass: String?
        /// The old objects that migrate.
        package var objects: Objects = .all
        /// The properties of the new entity, sorted by name.
        package var properties: [Property] = []
        /// The location of the mapping in the file.
        package var location: SourceLocation
    }

    /// The objects of the old entity to which a mapping applies.
    package enum Objects: Sendable, Hashable {
        /// All objects of the entity itself.
        case all
        /// The objects that match a predicate format string.
        case matching(String)
        /// An expression that is not a fetch of the old entity, as text.
        case untranslatable(String)
    }

    /// A property of the new entity and its value.
    package struct Property: Sendable {
        /// The property's name in the new entity.
        package var name: String
        /// Whether the mapping file lists the property as a relationship.
        package var isRelationship: Bool
        /// The source of the property's value in the new object.
        package var value: Value
        /// The location of the value in the file.
        package var location: SourceLocation
    }

    /// The source of a new property's value.
    package enum Value: Sendable, Hashable {
        /// The old property that the new one continues; the file contains no value.
        case inferred
        /// An expression over the old object, as a format string.
        case expression(String)
        /// The new objects that a mapping creates from the old objects at a key path.
        ///
        /// An empty path is the old object itself. Without a name, any mapping matches.
        case links([String], mapping: String?)
        /// An expression that only the app's framework can evaluate, as text.
        case untranslatable(String)
    }

    /// The path of `xcmapping.xml`.
    package var file: String
    /// The path of the old version's model in the app's project.
    package var sourceModelPath: String?
    /// The path of the new version's model in the app's project.
    package var destinationModelPath: String?
    /// The mappings, in the order in which the app applies them.
    package var entities: [Entity]

    /// The path of the mapping's folder.
    package var folder: String {
        file.hasSuffix(Self.fileSuffix) ? String(file.dropLast(Self.fileSuffix.count)) : file
    }

    /// The name of the old version.
    package var sourceVersion: String? { sourceModelPath.flatMap(Self.version) }
    /// The name of the new version.
    package var destinationVersion: String? { destinationModelPath.flatMap(Self.version) }

    private static let fileSuffix = "/" + fileName
    static let fileName = "xcmapping.xml"
    /// The suffix of mapping models.
    package static let suffix = ".xcmappingmodel"

    /// Returns the version in a path: `Tasks 2` for `App/Tasks.xcdatamodeld/Tasks 2.xcdatamodel`.
    private static func version(_ path: String) -> String? {
        let name = PathText.components(of: path).last ?? ""
        let suffix = XcodeModelBundle.Form.source.versionSuffix
        return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : nil
    }
}
