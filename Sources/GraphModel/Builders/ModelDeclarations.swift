import Diagnostics

/// A name that a file uses, with its place.
struct PlacedName {
    var name: String
    var place: SourceLocation
}

/// What a model file declares, with the places that lints point at.
struct ModelDeclarations {
    var entities: [EntityDeclaration] = []
    var versionIdentifiers: [String] = []
    /// Each configuration's members.
    var configurationMembers: [(name: String, members: [PlacedName])] = []

    var configurations: [String: [String]] {
        Dictionary(
            configurationMembers.map { ($0.name, $0.members.map(\.name)) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// One entity as its file declares it.
struct EntityDeclaration {
    var description: EntityDescription
    var place: SourceLocation
    var parentPlace: SourceLocation?
    /// In the order of `description.ownAttributes`.
    var attributePlaces: [SourceLocation] = []
    /// In the order of `description.ownRelationships`.
    var relationshipPlaces: [RelationshipPlaces] = []
    var constraints: [[PlacedName]] = []
    /// In the order of `description.validationRules`.
    var rulePlaces: [SourceLocation] = []
    /// Each index's elements.
    var indexElements: [[PlacedName]] = []

    var name: String { description.name }
}

/// Where the parts of a relationship stand.
struct RelationshipPlaces {
    var place: SourceLocation
    var destination: SourceLocation
    var inverse: SourceLocation?
    var deleteRule: SourceLocation?
}
