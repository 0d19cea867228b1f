import GraphModel

/// The source of one entity's file.
struct ClassText {
    let plan: ClassPlan
    let types: SwiftTypes
    let access: ClassGenerator.Access
    private let header: String

    init(_ plan: ClassPlan, _ generator: ClassGenerator) {
        self.plan = plan
        types = generator.types
        access = generator.access
        header = generator.header
    }

    /// The properties for which this class has accessors.
    var own: [ClassPlan.Property] { plan.properties.filter { !$0.isInherited } }

    /// The source of the file.
    ///
    /// If names are too long for the line length, a comment makes the formatter ignore the file.
    var text: String {
        let body = body
        var text = SourceText(access: access)
        text.line(header)
        if body.hasLongLine {
            text.line("// swift-format-ignore-file")
        } else if let rules = ignoredRules {
            text.line("// swift-format-ignore-file: \(rules)")
        }
        return text.text + body.text
    }

    private var body: SourceText {
        var text = SourceText(access: access)
        text.line()
        text.imports(modules)
        text.line()
        text.line("/// An object of the entity \(plan.entity.name).")
        open(&text)
        keys(&text)
        for property in own { accessor(property, &text) }
        row(&text)
        text.line("}")
        text.line()
        rowInitializer(&text)
        objectKeys(&text)
        return text
    }

    /// The rules to disable in a comment, because names of the model violate them.
    ///
    /// They are naming rules of the formatter.
    private var ignoredRules: String? {
        var rules: [String] = []
        let names = plan.properties.map(\.name)
        if !names.allSatisfy(SwiftName.isLowerCamelCase) {
            rules.append("AlwaysUseLowerCamelCase")
        }
        if names.contains(where: { $0.hasPrefix("_") }) { rules.append("NoLeadingUnderscores") }
        if plan.className.first?.isLowercase == true {
            rules.append("TypeNamesShouldBeCapitalized")
        }
        return rules.isEmpty ? nil : rules.joined(separator: ", ")
    }

    private var modules: Set<String> {
        var modules: Set<String> = ["GraphStore"]
        for case .attribute(let attribute) in plan.properties.map(\.kind) {
            if let module = SwiftTypes.module(of: attribute.type.swiftName), module == "Foundation"
            {
                modules.insert(module)
            }
        }
        return modules
    }

    // MARK: The class

    private func open(_ text: inout SourceText) {
        if plan.mode == .category {
            text.line("extension \(plan.swiftName) {")
            return
        }
        let superclass =
            plan.superclassName.map(SwiftName.escaped) ?? types.name(of: "ManagedObject")
        let kind = plan.isFinal ? "final class" : "class"
        text.line("\(text.prefix)\(kind) \(plan.swiftName): \(superclass) {")
        text.line("    /// The entity's name.")
        text.body(
            4, "\(text.prefix)override class var entityName: \(types.name(of: "String"))",
            "\"\(plan.entity.name)\"")
        text.line()
    }

    /// Writes `enum Keys`, with inherited properties, because it hides the superclass's `Keys`.
    private func keys(_ text: inout SourceText) {
        text.line("    /// Properties by name and slot, for `object[key]`.")
        text.line("    \(text.prefix)enum Keys {")
        for property in plan.properties {
            documentation(property, 8, onlyIfVisible: true, &text)
            text.call(
                8, "\(text.prefix)static let \(property.identifier) = \(keyType(property))(",
                property.valueTypeName == nil
                    ? "\"\(property.name)\", slot: \(property.slot)" : "\"\(property.name)\"")
        }
        text.line("    }")
    }

    private func keyType(_ property: ClassPlan.Property) -> String {
        switch property.kind {
        case .attribute(let attribute):
            attribute.valueTypeName.map { "\(types.name(of: "TransformableKey"))<\($0)>" }
                ?? "\(types.name(of: "AttributeKey"))<\(types.name(of: attribute))>"
        case .toOne(_, let className):
            "\(types.name(of: "ToOneKey"))<\(types.className(className))>"
        case .toMany(_, let className):
            "\(types.name(of: "ToManyKey"))<\(types.className(className))>"
        }
    }

    // MARK: Accessors

    private func accessor(_ property: ClassPlan.Property, _ text: inout SourceText) {
        let name = property.identifier
        text.line()
        documentation(property, 4, &text)
        switch property.kind {
        case .attribute(let attribute):
            // A custom value type has no known default, so its accessor is optional.
            let isOptional = attribute.isOptional || attribute.valueTypeName != nil
            let key = isOptional ? "Keys.\(name)" : "required: Keys.\(name)"
            let type =
                (attribute.valueTypeName ?? types.name(of: attribute)) + (isOptional ? "?" : "")
            if attribute.derivationExpression != nil {
                text.body(4, "\(text.prefix)var \(name): \(type)", "self[\(key)]")
            } else {
                pair(name, type, get: "self[\(key)]", set: "self[\(key)] = newValue", &text)
            }
        case .toOne(_, let className):
            pair(
                name, "\(types.className(className))?", get: "self[Keys.\(name)]",
                set: "self[Keys.\(name)] = newValue", &text)
        case .toMany(let relationship, let className):
            let element = types.className(className)
            let set = types.name(of: "Set")
            let place = "self[Keys.\(name)]"
            if relationship.isOrdered {
                pair(name, "[\(element)]", get: place, set: "\(place) = newValue", &text)
            } else {
                pair(
                    name, "\(set)<\(element)>", get: "\(set)(\(place))",
                    set: "\(place) = Array(newValue)", &text)
            }
            linkers(relationship, element, name, &text)
        }
    }

    private func pair(
        _ name: String, _ type: String, get: String, set: String, _ text: inout SourceText
    ) {
        text.line("    \(text.prefix)var \(name): \(type) {")
        text.line("        get { \(get) }")
        text.line("        set { \(set) }")
        text.line("    }")
    }

    /// Writes the methods that change a to-many relationship without reading it.
    private func linkers(
        _ relationship: RelationshipDescription, _ element: String, _ name: String,
        _ text: inout SourceText
    ) {
        let suffix = SwiftName.capitalized(relationship.name)
        let list = "`\(relationship.name)`"
        func method(_ meaning: String, _ head: String, _ body: String) {
            text.line()
            text.line("    /// \(meaning)")
            text.body(4, "\(text.prefix)func \(head)", body)
        }
        method(
            "Adds to \(list), which need not be read for that.",
            "addTo\(suffix)(_ object: \(element))", "add(object, to: Keys.\(name))")
        if relationship.isOrdered {
            method(
                "Puts an object at a place of \(list).",
                "insertInto\(suffix)(_ object: \(element), at index: \(types.name(of: "Int")))",
                "insert(object, into: Keys.\(name), at: index)")
        }
        method(
            "Takes an object out of \(list).", "removeFrom\(suffix)(_ object: \(element))",
            "remove(object, from: Keys.\(name))")
        let sequence = "some \(types.name(of: "Sequence"))<\(element)>"
        method(
            "Adds all of these to \(list).", "addTo\(suffix)(_ objects: \(sequence))",
            "for object in objects { add(object, to: Keys.\(name)) }")
        method(
            "Takes all of these out of \(list).", "removeFrom\(suffix)(_ objects: \(sequence))",
            "for object in objects { remove(object, from: Keys.\(name)) }")
    }

    // MARK: Predicates and orders

    private func objectKeys(_ text: inout SourceText) {
        let stored = own.filter { !$0.isTransient }
        guard !stored.isEmpty else { return }
        text.line()
        text.line(
            "extension \(types.name(of: "ObjectKeys")) where KeyedObject: \(plan.swiftName) {")
        for (position, property) in stored.enumerated() {
            if position > 0, access != .internal { text.line() }
            documentation(property, 4, onlyIfVisible: true, &text)
            let type = pathType(property)
            text.body(
                4, "\(text.prefix)var \(property.identifier): \(type)",
                "\(type)(\"\(property.name)\")")
        }
        text.line("}")
    }

    private func pathType(_ property: ClassPlan.Property) -> String {
        switch property.kind {
        case .attribute(let attribute):
            "\(types.name(of: "Key"))<\(types.name(of: attribute))\(attribute.isOptional ? "?" : "")>"
        case .toOne(_, let className):
            "\(types.name(of: "ToOnePath"))<\(types.className(className))>"
        case .toMany(_, let className):
            "\(types.name(of: "ToManyPath"))<\(types.className(className))>"
        }
    }

    // MARK: Documentation

    /// Writes a documentation comment of one line, with the property's description in the model.
    func documentation(
        _ property: ClassPlan.Property, _ indent: Int, onlyIfVisible: Bool = false,
        _ text: inout SourceText
    ) {
        guard access != .internal || !onlyIfVisible else { return }
        let spaces = String(repeating: " ", count: indent)
        text.line("\(spaces)/// \(property.summary)")
    }
}

extension ClassPlan.Property {
    /// Whether the property is managed but has no column.
    var isTransient: Bool {
        if case .attribute(let attribute) = kind { attribute.isTransient } else { false }
    }

    /// The type of a transformable attribute's values, if the model names it.
    var valueTypeName: String? {
        if case .attribute(let attribute) = kind { attribute.valueTypeName } else { nil }
    }

    /// The property's description in the model, in one sentence.
    fileprivate var summary: String {
        switch kind {
        case .attribute(let attribute):
            let words = [
                attribute.type.rawValue, attribute.isOptional ? nil : "required",
                attribute.isTransient ? "transient" : nil,
                attribute.derivationExpression == nil ? nil : "derived",
                attribute.name.lastIndex(of: ".").map {
                    "an element of `\(attribute.name[..<$0])`"
                },
            ]
            return words.compactMap { $0 }.joined(separator: ", ") + "."
        case .toOne(let relationship, _):
            return "To one \(relationship.destinationEntityName)\(relationship.ending)"
        case .toMany(let relationship, _):
            let order = relationship.isOrdered ? ", in their order" : ""
            return "To many \(relationship.destinationEntityName)\(order)\(relationship.ending)"
        }
    }
}

extension RelationshipDescription {
    fileprivate var ending: String {
        (isOptional ? "" : ", required") + (inverseName.map { ", inverse of `\($0)`." } ?? ".")
    }
}
