package import Diagnostics
package import GraphModel
import GraphStore

/// Checks a spec against a model: every name, path, and constant that stages use.
package struct SpecificationChecker {
    let spec: PipelineSpec
    let model: ManagedObjectModel
    /// Entities that are not checked because the model does not define them reliably.
    private let unknownEntities: Set<String>
    private(set) var diagnostics: [Diagnostic] = []

    private init(
        _ spec: PipelineSpec, _ model: ManagedObjectModel, _ unknownEntities: Set<String>
    ) {
        self.spec = spec
        self.model = model
        self.unknownEntities = unknownEntities
    }

    /// Returns every problem, including warnings, in the order of the file.
    ///
    /// - Parameters:
    ///   - model: The model, which may be the valid part of a model with errors.
    ///   - unknownEntities: Entities that the model declares but that may be wrong.
    package static func check(
        _ spec: PipelineSpec, _ model: ManagedObjectModel,
        besides unknownEntities: Set<String> = []
    ) -> [Diagnostic] {
        var checker = SpecificationChecker(spec, model, unknownEntities)
        for stage in spec.stages { stage.kind.check(&checker) }
        let layout = StoreLayout(model)
        checker.checkTables(layout)
        checker.checkSearchable(layout)
        return DiagnosticList(checker.diagnostics).diagnostics
    }

    /// Reports hierarchies whose table exceeds SQLite's limits: https://www.sqlite.org/limits.html.
    private mutating func checkTables(_ layout: StoreLayout) {
        let columnsMax = 2000
        for table in layout.tables {
            // The table also has `Z_PK`, `Z_ENT`, and `Z_OPT`.
            let count = table.columns.count + 3
            guard count > columnsMax, let root = root(of: table, layout) else { continue }
            let isAlone = layout.entities.count { $0.table == table.name } == 1
            diagnostics.append(
                Diagnostic(
                    code: "spec.too-many-columns",
                    (isAlone ? "'\(root.name)' needs" : "'\(root.name)' and its sub-entities need")
                        + " \(count) columns in one table, and SQLite has at most \(columnsMax)",
                    at: .source(spec.store.location),
                    fix: isAlone
                        ? "remove attributes; a file may have more columns than its entity"
                        : "remove the parent of some sub-entities"))
        }
    }

    /// Reports hierarchies whose folded texts exceed SQLite's limits.
    private mutating func checkSearchable(_ layout: StoreLayout) {
        for fold in FoldTable.wanted(layout) where fold.columns.count > FoldTable.columnsMax {
            guard let table = layout.tables.first(where: { $0.name == fold.source }),
                let root = root(of: table, layout)
            else { continue }
            diagnostics.append(
                Diagnostic(
                    code: "spec.too-many-columns",
                    "'\(root.name)' and its sub-entities have \(fold.columns.count) searchable attributes,"
                        + " and SQLite can keep the folded texts of at most \(FoldTable.columnsMax)",
                    at: .source(spec.store.location),
                    fix: "remove `searchable: true` from attributes that no search uses"))
        }
    }

    private func root(
        of table: StoreLayout.Table, _ layout: StoreLayout
    ) -> StoreLayout.Entity? {
        layout.entities.first { $0.table == table.name && $0.superNumber == 0 }
    }
}

extension SpecificationChecker {
    mutating func error(
        _ code: String, _ message: String, _ place: SourceLocation, fix: String? = nil
    ) {
        diagnostics.append(
            Diagnostic(code: "spec.\(code)", message, at: .source(place), fix: fix))
    }

    mutating func warn(
        _ code: String, _ message: String, _ place: SourceLocation, fix: String? = nil
    ) {
        diagnostics.append(
            Diagnostic(.warning, code: "spec.\(code)", message, at: .source(place), fix: fix))
    }

    mutating func note(_ code: String, _ message: String, _ place: SourceLocation) {
        diagnostics.append(Diagnostic(.note, code: "spec.\(code)", message, at: .source(place)))
    }

    /// Returns the entity with that name, or reports an error and returns `nil`.
    mutating func entity(_ name: PlacedText) -> EntityDescription? {
        if let found = model.entity(named: name.text) { return found }
        guard !name.text.isEmpty, !unknownEntities.contains(name.text) else { return nil }
        let names = model.entities.map(\.name) + unknownEntities.sorted()
        let hint = Suggestion.phrase(for: name.text, among: names)
        error(
            "unknown-entity", "The model has no entity '\(name.text)'" + hint, name.location)
        return nil
    }

    /// Returns whether the name is a transient relationship, and reports an error if it is.
    mutating func isTransientRelationship(
        _ name: PlacedText, of entity: EntityDescription
    ) -> Bool {
        guard model.isTransientRelationship(name.text, of: entity.name) else { return false }
        error(
            "transient", "'\(entity.name).\(name.text)' is transient, so no store keeps it",
            name.location)
        return true
    }

    /// Returns the stored attribute with that name, or reports an error and returns `nil`.
    ///
    /// - Parameter kind: The kind of the stage, for the fix if the name is a relationship.
    mutating func attribute(
        _ name: PlacedText, of entity: EntityDescription, or kind: String
    ) -> AttributeDescription? {
        if let found = model.attribute(name.text, of: entity.name) {
            // The error is reported where the model declares the attribute.
            guard !found.isDoubtful else { return nil }
            guard !found.isTransient else {
                error(
                    "transient", "'\(entity.name).\(name.text)' is transient, so no store keeps it",
                    name.location)
                return nil
            }
            guard let expression = found.derivationExpression, kind != "link" else { return found }
            error(
                "derived",
                "'\(entity.name).\(name.text)' is derived from '\(expression)', so each save "
                    + "computes it",
                name.location,
                fix: kind == "key"
                    ? "name attributes that records fill" : "remove '\(name.text)' here")
            return nil
        }
        if let elements = model.elements(of: name.text, in: entity.name) {
            error(
                "unknown-attribute",
                "'\(entity.name).\(name.text)' is a composite, which has no single value",
                name.location, fix: "name an element, such as '\(elements[0].name)'")
            return nil
        }
        // Only the name is known of a composite that is declared incorrectly.
        let isDoubtful = name.text.keyPath.first
            .flatMap { model.attribute($0, of: entity.name) }?.isDoubtful
        if isDoubtful == true { return nil }
        guard !isTransientRelationship(name, of: entity) else { return nil }
        if model.relationship(name.text, of: entity.name) != nil {
            let fix: String? =
                switch kind {
                case "import": "put it under `link`"
                case "update": "set it by `link` of an import, where null clears it"
                default: nil
                }
            error(
                "unknown-attribute",
                "'\(entity.name).\(name.text)' is a relationship, not an attribute",
                name.location, fix: fix)
            return nil
        }
        let names = model.attributes(of: entity.name).map(\.name)
        error(
            "unknown-attribute",
            "'\(entity.name)' has no attribute '\(name.text)'"
                + Suggestion.phrase(for: name.text, among: names), name.location)
        return nil
    }

    /// Reports a constant that the attribute cannot hold.
    mutating func checkConstant(
        _ constant: ConstantValue, for attribute: AttributeDescription, at place: SourceLocation,
        _ rules: BatchRules = .enforce
    ) {
        if case .null = constant {
            guard !attribute.isOptional else { return }
            return error(
                "constant", "'\(attribute.name)' is not optional, so it cannot be null", place)
        }
        guard let wanted = ConstantCheck.wanted(constant, for: attribute) else {
            guard rules == .enforce,
                let problem = ConstantCheck.brokenRule(constant, of: attribute)
            else { return }
            return error(
                "constant", problem, place, fix: "give a value that the model allows")
        }
        error(
            "constant", "'\(attribute.name)' is \(attribute.type.rawValue) and must be \(wanted)",
            place)
    }
}
