import Diagnostics
import YAML

/// Checks attributes declared in Swift, and converts their defaults and dates to stored form.
struct AttributeLints {
    private let problems: YAMLProblems

    init(_ problems: YAMLProblems) {
        self.problems = problems
    }

    /// Returns the entity with its attributes completed, and reports their problems.
    func completed(_ declared: Entity) -> EntityDeclaration {
        var entity = declared.declaration
        for (number, declared) in declared.attributes.enumerated() {
            let place = entity.attributePlaces[number]
            entity.description.ownAttributes[number] = completed(declared, at: place)
        }
        for (relationship, places) in entity.placedRelationships {
            checkCounts(relationship, places.place)
        }
        let indexes = zip(entity.description.indexes, entity.indexPredicatePlaces)
        for (index, place) in indexes where index.elements.isEmpty {
            error("index", "The index '\(index.name)' has no property", place)
        }
        return entity
    }

    private func error(_ code: String, _ message: String, _ place: SourceLocation) {
        problems.report("model.\(code)", message, at: .source(place))
    }

    private func warn(_ code: String, _ message: String, _ place: SourceLocation) {
        problems.report(
            Diagnostic(.warning, code: "model.\(code)", message, at: .source(place)))
    }

    /// Returns the description of a declared attribute, and reports its problems.
    ///
    /// It also completes the elements of composites, which are declared in the same way.
    func completed(
        _ declared: Attribute, at place: SourceLocation
    ) -> AttributeDescription {
        var attribute = declared.description
        let type = attribute.type
        if type == .composite, attribute.compositeName == nil {
            error("attribute-type", "A Composite attribute must name its composite", place)
        }
        if type == .undefined, !attribute.isTransient {
            error("attribute-type", "Only a transient attribute can be Undefined", place)
        }
        if attribute.allowsExternalBinaryDataStorage, type != .binary, type != .transformable {
            error(
                "rule", "'external' is for Binary and Transformable, not for \(type.rawValue)",
                place)
        }
        if let threshold = attribute.externalStorageThreshold {
            if !attribute.allowsExternalBinaryDataStorage || threshold < 0 {
                error("rule", "A threshold is for external storage, and not negative", place)
            }
        }
        if let problem = attribute.transformerProblem(key: "transformer") {
            warn("rule", problem.message, place)
        }
        checkText(attribute, place)
        setDates(of: &attribute, declared, place)
        checkRange(attribute, place)
        if let value = declared.defaultValue {
            if let stored = value.stored(as: type) {
                attribute.defaultValue = stored
                for problem in DefaultValueReader.brokenRules(stored, attribute) {
                    error("default", problem, place)
                }
            } else {
                error("default", "The default is not of the type \(type.rawValue)", place)
            }
        }
        return attribute
    }

    private func checkText(_ attribute: AttributeDescription, _ place: SourceLocation) {
        if attribute.length != nil || attribute.pattern != nil, attribute.type != .string {
            error(
                "rule",
                "'length' and 'pattern' are for String, not for \(attribute.type.rawValue)", place)
        }
        if let length = attribute.length, isEmpty(length) || (length.minimum ?? 0) < 0 {
            error("range", "'length' is empty or negative", place)
        }
        if attribute.isSearchable, attribute.type != .string {
            error("rule", "'searchable' is for String, not for \(attribute.type.rawValue)", place)
        }
        if attribute.isSearchable, attribute.isTransient {
            error("rule", "A transient attribute is in no store to be searched", place)
        }
        guard let pattern = attribute.pattern else { return }
        do {
            _ = try CompiledPattern(pattern)
        } catch {
            warn("pattern", "The pattern is kept, but not checked: \(error.description)", place)
        }
    }

    private func setDates(
        of attribute: inout AttributeDescription, _ declared: Attribute, _ place: SourceLocation
    ) {
        guard declared.earliest != nil || declared.latest != nil else { return }
        guard attribute.type == .date else {
            return error(
                "rule",
                "'earliest' and 'latest' are for Date, not for \(attribute.type.rawValue)", place)
        }
        func seconds(_ text: String?) -> Double? {
            guard let text else { return nil }
            let date = ScalarText.date(text)
            if date == nil { error("range", "'\(text)' is not an ISO 8601 date", place) }
            return date
        }
        attribute.range = NumberRange(
            minimum: seconds(declared.earliest), maximum: seconds(declared.latest))
    }

    private func checkRange(_ attribute: AttributeDescription, _ place: SourceLocation) {
        guard let range = attribute.range else { return }
        switch attribute.type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .date: break
        default:
            let type = attribute.type.rawValue
            error("rule", "'range' is for numbers and dates, not for \(type)", place)
        }
        if isEmpty(range) { error("range", "'range' is empty: it ends before it begins", place) }
    }

    private func isEmpty(_ range: NumberRange) -> Bool {
        guard let minimum = range.minimum, let maximum = range.maximum else { return false }
        return minimum > maximum
    }

    private func checkCounts(_ relationship: RelationshipDescription, _ place: SourceLocation) {
        if !relationship.isToMany {
            guard relationship.minimumCount == 0, relationship.maximumCount == 1 else {
                return error("rule", "'count' is for relationships to many objects", place)
            }
            return
        }
        let isLawful =
            relationship.minimumCount >= 0 && relationship.maximumCount >= 0
            && (relationship.maximumCount == 0
                || relationship.minimumCount <= relationship.maximumCount)
        if !isLawful { error("range", "'count' is empty or negative", place) }
    }
}
