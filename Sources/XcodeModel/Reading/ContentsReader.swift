package import Diagnostics
package import GraphModel

/// A reader of the `contents` of an `.xcdatamodel` folder.
///
/// ```xml
/// <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
///     <entity name="Task" representedClassName="Task" syncable="YES">
///         <attribute name="title" attributeType="String"/>
///     </entity>
/// </model>
/// ```
/// Models of apps violate rules that YAML models must follow: for example, a name hides a member of
/// the object, or an index covers a to-many relationship. Lints are therefore warnings here; only
/// problems that prevent a model are errors. Unknown attributes are kept in `extras` under their
/// names.
package enum ContentsReader {
    /// Reads the bytes of a file that messages call `file`; the model is `nil` if there is an
    /// error.
    package static func read(
        _ bytes: [UInt8], file: String
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let problems = ContentsProblems(file: file)
        let root: XMLElement
        do throws(XMLProblem) {
            root = try XMLReader.read(bytes)
        } catch {
            let place = SourceLocation(file: file, line: error.line, column: error.column)
            problems.fail("xml", error.message, place)
            return (nil, problems.diagnostics)
        }
        guard root.name == "model" else {
            problems.fail(
                "root", "<\(root.name)> is not a model; a model file begins with <model>",
                problems.place(root, ""))
            return (nil, problems.diagnostics)
        }
        return finish(root, problems)
    }

    private static func finish(
        _ root: XMLElement, _ problems: ContentsProblems
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        var contents = Contents(root, problems)
        contents.dropRedeclared(problems)
        let hasErrors = problems.diagnostics.contains { $0.severity == .error }
        let lints = contents.declared.lints(file: problems.file)
        var model: ManagedObjectModel?
        var failure: ModelError?
        do throws(ModelError) {
            model = try contents.declared.model()
        } catch {
            failure = error
        }
        for var lint in lints {
            // If there is no model, the lints give the reason and the location.
            if failure == nil || !Self.forbiddingCodes.contains(lint.code) {
                lint.severity = .warning
            }
            problems.report(lint)
        }
        let sorted = DiagnosticList(problems.diagnostics).diagnostics
        guard let failure else { return (hasErrors ? nil : model, sorted) }
        if sorted.contains(where: { $0.severity == .error }) { return (nil, sorted) }
        problems.fail("invalid", failure.description, problems.place(root, ""))
        return (nil, DiagnosticList(problems.diagnostics).diagnostics)
    }

    /// The codes of lints that stay errors if no model can be built, because they explain why.
    ///
    /// All other lints become warnings.
    private static let forbiddingCodes: Set<String> = [
        "model.unknown-entity", "model.duplicate-name", "model.parent-cycle",
        "model.parent-depth", "model.inverse",
    ]
}

/// The declarations of a model file while it is read.
private struct Contents {
    var declared = ModelDeclarations()

    init(_ root: XMLElement, _ problems: ContentsProblems) {
        readAttributes(root, problems)
        for child in root.children {
            switch child.name {
            case "entity":
                guard let entity = EntityContents.read(child, problems) else { continue }
                declared.entities.append(entity)
            case "configuration": readConfiguration(child, problems)
            case "fetchRequest":
                guard let template = RequestContents.template(child, nil, problems) else {
                    continue
                }
                declared.fetchRequestTemplates.append(template)
                declared.templatePlaces.append(problems.place(child, attribute: "entity", ""))
            case "composite", "compositeAttribute": readComposite(child, problems)
            case "elements": break
            default:
                problems.warnOfUnknown(child, in: "")
            }
        }
        readLayout(root)
    }

    private mutating func readAttributes(_ root: XMLElement, _ problems: ContentsProblems) {
        var source = ElementAttributes(root, "", problems)
        // An empty identifier is valid, too.
        if let identifier = source.text("userDefinedModelVersionIdentifier") {
            declared.versionIdentifiers = [identifier]
        }
        for (name, usual) in ContentsText.usualAttributes where source.text(name) != usual {
            source.keep(name)
            source.keepAbsence(of: name)
        }
        declared.extras = source.extras
    }

    private mutating func readConfiguration(_ element: XMLElement, _ problems: ContentsProblems) {
        var source = ElementAttributes(element, "", problems)
        guard let name = source.name("A configuration") else { return }
        let members = element.children(named: "memberEntity").compactMap { child in
            child["name"].map { member in
                PlacedName(name: member, place: problems.place(child, attribute: "name", name))
            }
        }
        declared.configurationMembers.append((name, members))
        for (key, value) in source.extras {
            declared.extras["configuration.\(name).\(key)"] = value
        }
    }

    private mutating func readComposite(_ element: XMLElement, _ problems: ContentsProblems) {
        var source = ElementAttributes(element, "", problems)
        guard let name = source.name("A composite") else { return }
        var composite = CompositeDescription(name: name)
        var places: [SourceLocation] = []
        for child in element.children {
            // Nested composites are attributes, too.
            guard child.name == "attribute" else {
                problems.warnOfUnknown(child, in: name)
                continue
            }
            guard let attribute = AttributeContents.read(child, name, problems) else { continue }
            composite.attributes.append(attribute)
            places.append(problems.place(child, "\(name).\(attribute.name)"))
        }
        composite.extras = source.extras
        declared.composites.append(composite)
        declared.compositePlaces.append(places)
    }

    /// Keeps the positions of boxes in Xcode's diagram, each with its entity.
    private mutating func readLayout(_ root: XMLElement) {
        for element in root.children(named: "elements").flatMap(\.children) {
            guard
                let index = declared.entities.firstIndex(where: { $0.name == element["name"] })
            else { continue }
            for attribute in element.attributes where attribute.name != "name" {
                declared.entities[index].description.extras["element.\(attribute.name)"] =
                    attribute.value
            }
        }
    }

    /// Drops properties that an ancestor already declares.
    mutating func dropRedeclared(_ problems: ContentsProblems) {
        let parents = Dictionary(declared.entities.map { ($0.name, $0) }) { first, _ in first }
        for index in declared.entities.indices {
            var inherited: [String: String] = [:]
            var seen: Set<String> = [declared.entities[index].name]
            var next = declared.entities[index].description.superentityName
            while let name = next, seen.insert(name).inserted, let parent = parents[name] {
                let names =
                    parent.description.ownAttributes.map(\.name)
                    + parent.description.ownRelationships.map(\.name)
                for property in names { inherited[property] = name }
                next = parent.description.superentityName
            }
            guard !inherited.isEmpty else { continue }
            drop(inherited, from: &declared.entities[index], problems)
        }
    }

    private func drop(
        _ inherited: [String: String], from entity: inout EntityDeclaration,
        _ problems: ContentsProblems
    ) {
        func isInherited(_ name: String, _ place: SourceLocation) -> Bool {
            guard let owner = inherited[name] else { return false }
            problems.warn(
                "redeclared",
                "'\(entity.name)' inherits '\(name)' from '\(owner)'; the one there counts", place)
            return true
        }
        for index in entity.description.ownAttributes.indices.reversed()
        where isInherited(
            entity.description.ownAttributes[index].name, entity.attributePlaces[index])
        {
            entity.description.ownAttributes.remove(at: index)
            entity.attributePlaces.remove(at: index)
        }
        for index in entity.description.ownRelationships.indices.reversed()
        where isInherited(
            entity.description.ownRelationships[index].name, entity.relationshipPlaces[index].place)
        {
            entity.description.ownRelationships.remove(at: index)
            entity.relationshipPlaces.remove(at: index)
        }
    }
}
