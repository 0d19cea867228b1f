import GraphModel

/// The source of `Task.Row`: an object's stored values as one `Sendable` value.
extension ClassText {
    /// The attributes and to-one relationships that have a column, which become members of `Row`.
    private var columns: [ClassPlan.Property] {
        plan.properties.filter { property in
            if case .toMany = property.kind { return false }
            return !property.isTransient
        }
    }

    func row(_ text: inout SourceText) {
        let hasOwnID = columns.contains { $0.identifier == "id" }
        let protocols = ["Sendable", "Hashable", "Codable", "Identifiable"]
            .map { types.name(of: $0) }.joined(separator: ", ")
        text.line()
        text.line("    /// The stored values of one object, which may go anywhere.")
        text.line("    \(text.prefix)struct Row: \(protocols) {")
        text.line("        /// Which object it was.")
        text.line("        \(text.prefix)var objectID: \(types.name(of: "ManagedObjectID"))")
        for property in columns {
            documentation(property, 8, onlyIfVisible: true, &text)
            text.line("        \(text.prefix)var \(property.identifier): \(type(property))")
        }
        if !hasOwnID {
            text.line()
            text.line("        /// Which object it was.")
            text.line(
                "        \(text.prefix)var id: \(types.name(of: "ManagedObjectID")) { objectID }")
        }
        text.line("    }")
    }

    /// Writes the initializer into an extension, so that Swift keeps the memberwise initializer.
    func rowInitializer(_ text: inout SourceText) {
        text.line("extension \(plan.swiftName).Row {")
        text.line("    /// Takes the values of an object.")
        text.line("    \(text.prefix)init(_ object: \(plan.swiftName)) {")
        text.line("        objectID = object.objectID")
        for property in columns {
            // The parameter `object` would hide a property of that name.
            let name = property.identifier == "object" ? "self.object" : property.identifier
            if case .toOne = property.kind {
                text.assignment(
                    8, name, "object[reference: \(plan.swiftName).Keys.\(property.identifier)]")
            } else if property.valueTypeName != nil {
                let key = "\(types.name(of: "AttributeKey"))<\(types.name(of: "Data"))>"
                text.assignment(
                    8, name, "object[\(key)(\"\(property.name)\", slot: \(property.slot))]")
            } else {
                text.assignment(8, name, "object.\(property.identifier)")
            }
        }
        text.line("    }")
        text.line("}")
    }

    private func type(_ property: ClassPlan.Property) -> String {
        switch property.kind {
        case .attribute(let attribute):
            // A transformer's value may be neither `Sendable` nor `Codable`, so a row has its
            // bytes.
            types.name(of: attribute)
                + (attribute.isOptional || attribute.valueTypeName != nil ? "?" : "")
        case .toOne(_, let className), .toMany(_, let className):
            "\(types.name(of: "Ref"))<\(types.className(className))>?"
        }
    }
}
