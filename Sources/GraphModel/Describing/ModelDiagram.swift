/// A drawing of a model: boxes of attributes, and lines for relationships and inheritance.
public struct ModelDiagram: Sendable {
    /// The output format of the drawing.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// A class diagram for Markdown pages.
        case mermaid
        /// The DOT format of Graphviz.
        case dot
        /// An SVG picture in the reader's light or dark mode.
        case svg
    }

    /// One end of a line.
    struct End {
        var entity: String
        /// The name of the relationship that starts at this end; `nil` without a relationship.
        var name: String?
        /// The number of this end's objects per object of the other end; `nil` if unknown.
        var count: Count?
    }

    /// The number of objects at an end: one or many, and whether there may be none.
    struct Count {
        var isMany: Bool
        var isOptional: Bool

        var text: String {
            switch (isMany, isOptional) {
            case (true, true): "0..*"
            case (true, false): "1..*"
            case (false, true): "0..1"
            case (false, false): "1"
            }
        }
    }

    /// A relationship with its inverse, or an entity with its parent.
    struct Line {
        var from: End
        var to: End
        var isInheritance = false
        /// The tooltip of the line.
        var hint = ""
    }

    /// Returns the drawing of a model.
    public static func text(of model: ManagedObjectModel, format: Format) -> String {
        switch format {
        case .mermaid: mermaid(model)
        case .dot: dot(model)
        case .svg: DiagramPicture(model).text()
        }
    }

    /// Returns each line once: inheritance from parent to child, relationships from one to many.
    static func lines(of model: ManagedObjectModel) -> [Line] {
        var lines: [Line] = []
        for entity in model.entities {
            guard let parent = entity.superentityName else { continue }
            lines.append(
                Line(
                    from: End(entity: parent), to: End(entity: entity.name), isInheritance: true,
                    hint: "\(entity.name) is a \(parent)"))
        }
        var drawn: Set<String> = []
        for entity in model.entities {
            for relationship in entity.ownRelationships
            where drawn.insert("\(entity.name).\(relationship.name)").inserted {
                let line = line(relationship, of: entity.name, in: model)
                if let back = relationship.inverseName {
                    let owner = model.declaringEntityName(
                        of: back, in: relationship.destinationEntityName)
                    drawn.insert("\(owner ?? relationship.destinationEntityName).\(back)")
                }
                lines.append(line)
            }
        }
        return lines
    }

    private static func line(
        _ relationship: RelationshipDescription, of owner: String, in model: ManagedObjectModel
    ) -> Line {
        let destination = relationship.destinationEntityName
        let inverse = relationship.inverseName.flatMap { model.relationship($0, of: destination) }
        var near = End(entity: owner, name: relationship.name)
        var far = End(entity: destination, count: count(relationship))
        var hint = "\(owner).\(relationship.name) \(ModelText.text(of: relationship))"
        if let inverse {
            near.count = count(inverse)
            let isSame = inverse.name == relationship.name && destination == owner
            if !isSame {
                far.name = inverse.name
                hint += "\n\(destination).\(inverse.name) \(ModelText.text(of: inverse))"
            }
        }
        // Put the to-one side first, so that it is drawn on the left.
        let isTurned = !relationship.isToMany && (near.count?.isMany ?? true)
        return isTurned
            ? Line(from: far, to: near, hint: hint) : Line(from: near, to: far, hint: hint)
    }

    /// Returns the attributes in an entity's box, each composite followed by its elements.
    static func attributes(
        of entity: EntityDescription, in model: ManagedObjectModel
    ) -> [AttributeDescription] {
        entity.ownAttributes.flatMap(model.parts)
    }

    private static func count(_ relationship: RelationshipDescription) -> Count {
        Count(isMany: relationship.isToMany, isOptional: relationship.isOptional)
    }

    /// Returns the type's name, such as `Integer16`, with `?` if `nil` is allowed.
    static func type(of attribute: AttributeDescription) -> String {
        let name = attribute.compositeName ?? attribute.type.rawValue
        return name.filter { $0 != " " } + (attribute.isOptional ? "?" : "")
    }
}

extension ModelDiagram {
    // MARK: Mermaid

    private static func mermaid(_ model: ManagedObjectModel) -> String {
        var text = "classDiagram\n    direction LR\n"
        for entity in model.entities {
            text += "    class \(entity.name) {\n"
            if entity.isAbstract { text += "        <<abstract>>\n" }
            for attribute in attributes(of: entity, in: model) {
                text += "        \(type(of: attribute)) \(attribute.name)\n"
            }
            text += "    }\n"
        }
        for line in lines(of: model) {
            if line.isInheritance {
                text += "    \(line.from.entity) <|-- \(line.to.entity)\n"
                continue
            }
            let near = line.from.count.map { " \"\($0.text)\"" } ?? ""
            let far = line.to.count.map { "\"\($0.text)\" " } ?? ""
            let isOneWay = line.from.name == nil || line.to.name == nil
            let isSelf = line.from.entity == line.to.entity && isOneWay && line.from.count != nil
            let arrow = !isOneWay || isSelf ? "--" : line.from.name == nil ? "<--" : "-->"
            text += "    \(line.from.entity)\(near) \(arrow) \(far)\(line.to.entity)"
            text += " : \(label(of: line))\n"
        }
        return text
    }

    private static func label(of line: Line) -> String {
        [line.from.name, line.to.name].compactMap(\.self).joined(separator: " / ")
    }

    // MARK: Graphviz

    private static func dot(_ model: ManagedObjectModel) -> String {
        var text = """
            digraph model {
                rankdir=LR
                node [shape=plain, fontname="Helvetica", fontsize=11]
                edge [fontname="Helvetica", fontsize=9, dir=both]

            """
        for entity in model.entities {
            text += "    \"\(entity.name)\" [label=<\(table(entity, model))>]\n"
        }
        for line in lines(of: model) {
            var attributes: [String]
            if line.isInheritance {
                attributes = ["arrowtail=onormal", "arrowhead=none"]
            } else {
                attributes = [
                    "arrowtail=\(arrow(line.from.count))", "arrowhead=\(arrow(line.to.count))",
                    "label=\"\(label(of: line))\"",
                ]
            }
            text += "    \"\(line.from.entity)\" -> \"\(line.to.entity)\""
            text += " [\(attributes.joined(separator: ", "))]\n"
        }
        return text + "}\n"
    }

    private static func table(_ entity: EntityDescription, _ model: ManagedObjectModel) -> String {
        let title = entity.isAbstract ? "<i>\(entity.name)</i>" : "<b>\(entity.name)</b>"
        let rows = attributes(of: entity, in: model).map { attribute in
            "<tr><td align=\"left\">\(attribute.name)</td>"
                + "<td align=\"left\">\(type(of: attribute))</td></tr>"
        }
        return "<table border=\"1\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"4\">"
            + "<tr><td colspan=\"2\" bgcolor=\"#e8eef7\">\(title)</td></tr>"
            + rows.joined() + "</table>"
    }

    private static func arrow(_ count: Count?) -> String {
        guard let count else { return "none" }
        return (count.isMany ? "crow" : "tee") + (count.isOptional ? "odot" : "tee")
    }
}
