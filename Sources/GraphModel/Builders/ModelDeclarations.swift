package import Diagnostics
import YAML

/// A name in a model file, with its location.
package struct PlacedName: Sendable, Hashable {
    package var name: String
    package var place: SourceLocation

    package init(name: String, place: SourceLocation) {
        self.name = name
        self.place = place
    }
}

/// The declarations of a model file, with the locations for lints.
package struct ModelDeclarations {
    package var entities: [EntityDeclaration] = []
    package var versionIdentifiers: [String] = []
    /// The members of each configuration.
    package var configurationMembers: [(name: String, members: [PlacedName])] = []
    /// The sets of attributes that entities use as types.
    package var composites: [CompositeDescription] = []
    /// The locations of each composite's attributes, in the order of `composites`.
    package var compositePlaces: [[SourceLocation]] = []
    /// The named fetch requests.
    package var fetchRequestTemplates: [FetchRequestTemplate] = []
    /// The location of each template's entity name, in the order of `fetchRequestTemplates`.
    package var templatePlaces: [SourceLocation] = []
    /// The files of older versions, oldest first, as written in the model file.
    package var history: [PlacedName] = []
    /// Other content of the file, under its own keys.
    package var extras: [String: String] = [:]
    /// The misspelled top-level keys; their declarations are unknown.
    var misspelled: Set<String> = []

    package init() {}

    package var configurations: [String: [String]] {
        Dictionary(
            configurationMembers.map { ($0.name, $0.members.map(\.name)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Builds the model; throws the first error, which has no location.
    ///
    /// The lints report the same errors with their locations.
    package func model() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities.map(\.description), versionIdentifiers: versionIdentifiers,
            configurations: configurations, composites: composites,
            fetchRequestTemplates: fetchRequestTemplates, extras: extras)
    }

    /// Returns all problems of the declarations with their locations.
    package func lints(file: String) -> [Diagnostic] {
        let problems = YAMLProblems(file: file, area: "model")
        ModelLints(self, problems).check()
        return problems.sorted
    }
}

/// An entity as declared in its file.
package struct EntityDeclaration: Sendable {
    package var description: EntityDescription
    package var place: SourceLocation
    package var parentPlace: SourceLocation?
    /// Whether all its properties could be read, at least their names.
    var isLegible = true
    /// The locations in the order of `description.ownAttributes`.
    package var attributePlaces: [SourceLocation] = []
    /// The locations in the order of `description.ownRelationships`.
    package var relationshipPlaces: [RelationshipPlaces] = []
    package var constraints: [[PlacedName]] = []
    /// The locations in the order of `description.validationRules`.
    package var rulePlaces: [SourceLocation] = []
    /// The location of each entity name, in the order of `description.fetchedProperties`.
    package var fetchedPlaces: [SourceLocation] = []
    /// The elements of each index.
    package var indexElements: [[PlacedName]] = []
    /// The location of each index's predicate, or of the index without a predicate.
    package var indexPredicatePlaces: [SourceLocation] = []
    /// The attributes declared in Swift, in the order of `description.ownAttributes`.
    var attributeDeclarations: [Attribute] = []

    package var name: String { description.name }

    package init(
        description: EntityDescription, place: SourceLocation, parentPlace: SourceLocation? = nil
    ) {
        self.description = description
        self.place = place
        self.parentPlace = parentPlace
    }
}

/// The locations of the parts of a relationship.
package struct RelationshipPlaces: Sendable {
    package var place: SourceLocation
    package var destination: SourceLocation
    package var inverse: SourceLocation?
    package var deleteRule: SourceLocation?
    /// Whether the inverse, or its absence, could be read.
    var isInverseLegible = true

    package init(
        place: SourceLocation, destination: SourceLocation, inverse: SourceLocation?,
        deleteRule: SourceLocation?
    ) {
        self.place = place
        self.destination = destination
        self.inverse = inverse
        self.deleteRule = deleteRule
    }
}
