package import Diagnostics
import YAML

/// A name in a model file, with its location.
package struct PlacedName: Sendable, Hashable {
    /// The name of an entity, a property, or another part of the model, as the YAML file writes it.
    package var name: String
    /// The location that messages about this name show.
    package var place: SourceLocation

    /// Creates a name that occurs at a location.
    package init(name: String, place: SourceLocation) {
        self.name = name
        self.place = place
    }
}

/// The declarations of a model file, with the locations for lints.
package struct ModelDeclarations {
    /// The entities, in the order of their declarations.
    package var entities: [EntityDeclaration] = []
    /// The author's names for this version of the model.
    package var versionIdentifiers: [String] = []
    /// The entities that each configuration lists, with their locations.
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

    /// Creates declarations without any entities.
    package init() {}

    /// The member names of each configuration, by its name; of equal names, the first one wins.
    package var configurations: [String: [String]] {
        let all = configurationMembers.map { ($0.name, $0.members.map(\.name)) }
        return Dictionary(all) { first, _ in first }
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
    /// The entity itself, which the model contains.
    package var description: EntityDescription
    /// The location of the entity's name.
    package var place: SourceLocation
    /// The location of the parent's name; `nil` if the entity declares no parent.
    package var parentPlace: SourceLocation?
    /// Whether at least the names of all its properties could be read.
    var isLegible = true
    /// The locations in the order of `description.ownAttributes`.
    package var attributePlaces: [SourceLocation] = []
    /// The locations in the order of `description.ownRelationships`.
    package var relationshipPlaces: [RelationshipPlaces] = []
    /// The attributes of each uniqueness constraint.
    package var constraints: [[PlacedName]] = []
    /// The locations in the order of `description.validationRules`.
    package var rulePlaces: [SourceLocation] = []
    /// The location of each entity name, in the order of `description.fetchedProperties`.
    package var fetchedPlaces: [SourceLocation] = []
    /// For each index, the properties that it lists, with their locations.
    package var indexElements: [[PlacedName]] = []
    /// The location of each index's predicate, or of the index without a predicate.
    package var indexPredicatePlaces: [SourceLocation] = []

    /// The entity's name in the model.
    package var name: String { description.name }

    /// The attributes that the entity declares itself, with their locations.
    var placedAttributes: Zip2Sequence<[AttributeDescription], [SourceLocation]> {
        zip(description.ownAttributes, attributePlaces)
    }

    /// The relationships that the entity declares itself, with their locations.
    var placedRelationships: Zip2Sequence<[RelationshipDescription], [RelationshipPlaces]> {
        zip(description.ownRelationships, relationshipPlaces)
    }

    /// Creates a declaration without locations of properties, constraints, and rules.
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
    /// The location of the relationship's name.
    package var place: SourceLocation
    /// The location of the destination, or of the relationship if it declares none.
    package var destination: SourceLocation
    /// The location of the inverse's name; `nil` if the relationship declares no inverse.
    package var inverse: SourceLocation?
    /// The location of the delete rule; `nil` if the relationship declares none.
    package var deleteRule: SourceLocation?
    /// Whether the inverse, or its absence, could be read.
    var isInverseLegible = true

    /// Creates the locations of a relationship; `nil` stands for a part that is not declared.
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
