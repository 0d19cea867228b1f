package import Diagnostics
import YAML

/// A name that a file uses, with its place.
package struct PlacedName: Sendable, Hashable {
    package var name: String
    package var place: SourceLocation

    package init(name: String, place: SourceLocation) {
        self.name = name
        self.place = place
    }
}

/// What a model file declares, with the places that lints point at.
package struct ModelDeclarations {
    package var entities: [EntityDeclaration] = []
    package var versionIdentifiers: [String] = []
    /// Each configuration's members.
    package var configurationMembers: [(name: String, members: [PlacedName])] = []
    /// Sets of attributes that entities use as types.
    package var composites: [CompositeDescription] = []
    /// In the order of `composites`: the places of each one's attributes.
    package var compositePlaces: [[SourceLocation]] = []
    /// Named requests.
    package var fetchRequestTemplates: [FetchRequestTemplate] = []
    /// In the order of `fetchRequestTemplates`: where each names its entity.
    package var templatePlaces: [SourceLocation] = []
    /// The files of older versions, oldest first, as the file names them.
    package var history: [PlacedName] = []
    /// What the file says beyond this, by its own names.
    package var extras: [String: String] = [:]
    /// The keys of the file itself that are misspelled, so that what they declare is not known.
    var misspelled: Set<String> = []

    package init() {}

    package var configurations: [String: [String]] {
        Dictionary(
            configurationMembers.map { ($0.name, $0.members.map(\.name)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The model; what it lacks a place for is in the lints.
    package func model() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities.map(\.description), versionIdentifiers: versionIdentifiers,
            configurations: configurations, composites: composites,
            fetchRequestTemplates: fetchRequestTemplates, extras: extras)
    }

    /// What is wrong with the declarations, each problem at its place.
    package func lints(file: String) -> [Diagnostic] {
        let problems = YAMLProblems(file: file, area: "model")
        ModelLints(self, problems).check()
        return problems.sorted
    }
}

/// One entity as its file declares it.
package struct EntityDeclaration: Sendable {
    package var description: EntityDescription
    package var place: SourceLocation
    package var parentPlace: SourceLocation?
    /// Whether all its properties could be read, at least by name.
    var isLegible = true
    /// In the order of `description.ownAttributes`.
    package var attributePlaces: [SourceLocation] = []
    /// In the order of `description.ownRelationships`.
    package var relationshipPlaces: [RelationshipPlaces] = []
    package var constraints: [[PlacedName]] = []
    /// In the order of `description.validationRules`.
    package var rulePlaces: [SourceLocation] = []
    /// In the order of `description.fetchedProperties`: where each names its entity.
    package var fetchedPlaces: [SourceLocation] = []
    /// Each index's elements.
    package var indexElements: [[PlacedName]] = []
    /// Where each index's predicate stands, or the index itself.
    package var indexPredicatePlaces: [SourceLocation] = []
    /// In the order of `description.ownAttributes`, where they are written in Swift.
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

/// Where the parts of a relationship stand.
package struct RelationshipPlaces: Sendable {
    package var place: SourceLocation
    package var destination: SourceLocation
    package var inverse: SourceLocation?
    package var deleteRule: SourceLocation?
    /// Whether the inverse is known, or that there is none.
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
