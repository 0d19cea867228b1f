package import Diagnostics

/// What an `.xcmappingmodel` says about a migration between two versions of a model.
///
/// Xcode saves the folder's one file, `xcmapping.xml`, as a Core Data XML store of its editor's
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
        /// Which of the old objects migrate.
        package var objects: Objects = .all
        /// The properties of the new entity, sorted by name.
        package var properties: [Property] = []
        /// Where the mapping is in the file.
        package var location: SourceLocation
    }

    /// Which objects of the old entity a mapping is about.
    package enum Objects: Sendable, Hashable {
        /// All objects of the entity itself.
        case all
        /// Those that match a predicate format string.
        case matching(String)
        /// An expression that is not a fetch of the old entity, as text.
        case untranslatable(String)
    }

    /// The value of one new property.
    package struct Property: Sendable {
        package var name: String
        package var isRelationship: Bool
        package var value: Value
        /// Where the value is in the file.
        package var location: SourceLocation
    }

    /// Where the value of a new property comes from.
    package enum Value: Sendable, Hashable {
        /// From the old property that it continues. Nothing is written in the file.
        case inferred
        /// From an expression over the old object, as a format string.
        case expression(String)
        /// From the new objects that a mapping makes of the old objects at a key path; an empty
        /// path is the old object itself. Without a name, any mapping counts.
        case links([String], mapping: String?)
        /// From an expression that only the app's framework can evaluate, as text.
        case untranslatable(String)
    }

    /// The file `xcmapping.xml`.
    package var file: String
    /// The path of the old version's model as the app's project has it.
    package var sourceModelPath: String?
    /// The path of the new version's model as the app's project has it.
    package var destinationModelPath: String?
    /// The mappings in the order in which the app applies them.
    package var entities: [Entity]

    /// The mapping without its file.
    package var folder: String { file.hasSuffix(Self.fileSuffix) ? parent(file) : file }

    /// The old version's name.
    package var sourceVersion: String? { sourceModelPath.flatMap(Self.version) }
    /// The new version's name.
    package var destinationVersion: String? { destinationModelPath.flatMap(Self.version) }

    private static let fileSuffix = "/" + fileName
    static let fileName = "xcmapping.xml"
    /// How the names of mapping models end.
    package static let suffix = ".xcmappingmodel"

    private func parent(_ path: String) -> String {
        String(path.dropLast(Self.fileSuffix.count))
    }

    /// `Tasks 2` of `App/Tasks.xcdatamodeld/Tasks 2.xcdatamodel`.
    private static func version(_ path: String) -> String? {
        let name = PathText.components(of: path).last ?? ""
        let suffix = XcodeModelBundle.Form.source.versionSuffix
        return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : nil
    }
}
