import YAML

/// The mappings of a spec: the whole, its parts, and the stages.
///
/// An enumeration, because some of them hold themselves: a nested object may have links that nest.
package enum SpecificationMapping: String, Sendable, CaseIterable {
    case spec, parameter, store, template, history, budget, rejects, report
    case `import`, read, generate, field, keyField, number, link, nested, mirror, on
    case update, delete, export, verify
    case test, then

    /// Those that are stages; each is known by the key that has its name.
    package static let stages: [SpecificationMapping] = [
        .import, .update, .delete, .export, .verify,
    ]

    /// The keys in the order in which a spec would have them.
    package var keys: [KeyDescription] {
        switch self {
        case .spec: Self.specKeys
        case .parameter: Self.parameterKeys
        case .store: Self.storeKeys
        case .template: Self.templateKeys
        case .history: Self.historyKeys
        case .budget: Self.budgetKeys
        case .rejects: Self.rejectsKeys
        case .report: Self.reportKeys
        case .import: Self.importKeys + Self.stageKeys
        case .read: Self.readKeys
        case .generate: Self.generateKeys
        case .field: Self.fieldKeys + Self.constantKeys
        case .keyField: Self.fieldKeys
        case .number: Self.numberKeys
        case .link: Self.linkKeys
        case .nested: Self.nestedKeys
        case .mirror: Self.mirrorKeys
        case .on: Self.onKeys
        case .update: Self.updateKeys + Self.stageKeys
        case .delete: Self.deleteKeys + Self.stageKeys
        case .export: Self.exportKeys + Self.stageKeys
        case .verify: Self.verifyKeys + Self.stageKeys
        case .test: Self.testKeys
        case .then: Self.thenKeys
        }
    }

    /// What other keys stand for, where there may be any.
    package var others: ValueForm.Named? {
        guard self == .then else { return nil }
        return ValueForm.Named(placeholder: "ENTITY", form: .list(.record))
    }

    /// The names of the keys.
    package var keyNames: [String] { keys.map(\.name) }

    /// What the mapping is called on a page.
    package var title: String {
        switch self {
        case .spec: "spec"
        case .parameter: "params.NAME"
        case .store, .budget, .rejects, .report: rawValue
        case .template: "store.open"
        case .history: "store.history"
        case .import, .update, .delete, .export, .verify: rawValue
        case .read: "read"
        case .generate: "read with generate"
        case .field: "set.ATTRIBUTE"
        case .keyField: "link.RELATIONSHIP.by.ATTRIBUTE"
        case .number: "set.ATTRIBUTE.number"
        case .link: "link.RELATIONSHIP"
        case .nested: "link.RELATIONSHIP with each"
        case .mirror: "mirror"
        case .on: "on"
        case .test: "tests"
        case .then: "tests.then"
        }
    }

    /// Where a page of the reference leads to for it.
    var address: String {
        if Self.stages.contains(self) { return page }
        let letters = title.lowercased().filter {
            $0.isLetter || $0.isNumber || $0 == " " || $0 == "-"
        }
        return "#" + letters.replacing(" ", with: "-")
    }
}

extension YAMLMapping {
    /// Reports every key that the description of specs does not have.
    func finish(_ mapping: SpecificationMapping) {
        finish(known: mapping.keyNames)
    }
}
