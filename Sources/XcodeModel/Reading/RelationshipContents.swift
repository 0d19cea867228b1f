import Diagnostics
import GraphModel

/// A reader of `relationship` elements.
enum RelationshipContents {
    /// Reads a relationship; returns `nil` and reports the problem if it has no name or
    /// destination.
    static func read(
        _ element: XMLElement, _ owner: String, _ problems: ContentsProblems
    ) -> (description: RelationshipDescription, places: RelationshipPlaces)? {
        var source = ElementAttributes(element, owner, problems)
        guard let name = source.name("A relationship of '\(owner)'") else { return nil }
        source.keyPath = "\(owner).\(name)"
        guard let destination = source.filled("destinationEntity") else {
            problems.fail(
                "missing-destination", "'\(owner).\(name)' has no destination", source.place(nil),
                fix: "give it a destinationEntity")
            return nil
        }
        let maximum = source.count("maxCount", orNoLimit: true)
        let isToMany = source.flag("toMany") || (maximum ?? 1) != 1
        var relationship = RelationshipDescription(
            name: name, destinationEntityName: destination,
            inverseName: source.filled("inverseName"), isToMany: isToMany,
            isOrdered: source.flag("ordered"), isOptional: source.flag("optional"),
            deleteRule: deleteRule(&source), minimumCount: source.count("minCount") ?? 0,
            maximumCount: maximum, isTransient: source.flag("transient"),
            renamingIdentifier: source.filled("elementID"),
            versionHashModifier: source.filled("versionHashModifier"), userInfo: source.userInfo())
        if relationship.isOrdered, !isToMany {
            problems.warn(
                "rule", RelationshipDescription.toOneProblem(key: "ordered"),
                source.place("ordered"),
                fix: "remove it, or let the relationship lead to many objects")
        }
        if source.text("inverseEntity") != destination {
            source.keep("inverseEntity")
            if relationship.inverseName != nil { source.keepAbsence(of: "inverseEntity") }
        }
        source.keepAbsence(of: "deletionRule")
        if !isToMany { source.keepAbsence(of: "maxCount") }
        source.warnAboutChildren(except: ["userInfo"])
        relationship.extras = source.extras
        let places = RelationshipPlaces(
            place: source.place(nil), destination: source.place("destinationEntity"),
            inverse: relationship.inverseName.map { _ in source.place("inverseName") },
            deleteRule: source.place("deletionRule"))
        return (relationship, places)
    }

    private static func deleteRule(_ source: inout ElementAttributes) -> DeleteRule {
        guard let text = source.filled("deletionRule") else { return .nullify }
        if let rule = DeleteRule(rawValue: text.lowercased()) { return rule }
        source.problems.warn(
            "delete-rule",
            "'\(text)' is not a delete rule; Nullify is used"
                + Suggestion.phrase(for: text, among: DeleteRule.allCases.map(\.contentsText)),
            source.place("deletionRule"))
        return .nullify
    }
}

extension DeleteRule {
    /// The name of the rule in model files.
    var contentsText: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }
}
