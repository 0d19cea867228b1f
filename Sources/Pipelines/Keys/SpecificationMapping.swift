import YAML

/// The mappings of a spec: the whole, its parts, and the stages.
///
/// An enumeration, because some of them hold themselves: a nested object may have links that nest.
package enum SpecificationMapping: String, Sendable, CaseIterable, DescribedMapping {
    case spec, parameter, store, template, history, backups, budget, rejects, report
    case onFailure
    case `import`, read, generate, command, output, field, keyField, keyLink, number, link, nested,
        mirror, on
    case update, delete, export, verify
    case test, then

    /// Those that are stages; each is known by the key that has its name.
    package static let stages: [SpecificationMapping] = [
        .import, .update, .delete, .export, .verify,
    ]

    package var definition: String { rawValue }

    package var keys: [KeyDescription] {
        switch self {
        case .spec: Self.specKeys
        case .parameter: Self.parameterKeys
        case .store: Self.storeKeys
        case .template: Self.templateKeys
        case .history: Self.historyKeys
        case .backups: Self.backupsKeys
        case .budget: Self.budgetKeys
        case .rejects: Self.rejectsKeys
        case .report: Self.reportKeys
        case .onFailure: Self.onFailureKeys
        case .import: Self.importKeys + Self.stageKeys
        case .read: Self.readKeys
        case .generate: Self.generateKeys
        case .command: Self.commandKeys + Self.commandReadKeys
        case .output: Self.commandKeys
        case .field: Self.fieldKeys + Self.constantKeys
        case .keyField: Self.fieldKeys
        case .keyLink: Self.keyLinkKeys
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

    package var others: ValueForm.Named? {
        guard self == .then else { return nil }
        return ValueForm.Named(placeholder: "ENTITY", form: .list(.record))
    }

    /// Those of a key are the keys of a field.
    package var hasTable: Bool { self != .keyField }

    /// All of these words mean the same under each key.
    package var explainsWords: Bool { self != .on }

    package var title: String {
        switch self {
        case .spec: "spec"
        case .parameter: "params.NAME"
        case .store, .budget, .rejects, .report: rawValue
        case .onFailure: "on-failure"
        case .template: "store.open"
        case .history: "store.history"
        case .backups: "store.backups"
        case .import, .update, .delete, .export, .verify: rawValue
        case .read: "read"
        case .generate: "read with generate"
        case .command: "read with command"
        case .output: "to with command"
        case .field: "set.ATTRIBUTE"
        case .keyField: "link.RELATIONSHIP.by.ATTRIBUTE"
        case .keyLink: "link.RELATIONSHIP.by.RELATIONSHIP"
        case .number: "set.ATTRIBUTE.number"
        case .link: "link.RELATIONSHIP"
        case .nested: "link.RELATIONSHIP with each"
        case .mirror: "mirror"
        case .on: "on"
        case .test: "tests"
        case .then: "tests.then"
        }
    }

    package var address: String {
        Self.stages.contains(self) ? page : Self.anchor(title)
    }
}

extension YAMLMapping {
    /// Reports every key that the description of specs does not have.
    ///
    /// - Parameter alternatives: keys that may be used instead of the required ones.
    func finish(_ mapping: SpecificationMapping, alternatives: [String] = []) {
        finish(known: mapping.keyNames, alternatives: alternatives)
    }
}
