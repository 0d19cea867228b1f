extension ManagedObjectModel {
    /// Returns the model for a store that does or does not keep all digits of decimals.
    ///
    /// Exact decimals are stored as canonical text. Only the columns differ; the version hashes are
    /// the same.
    package func keepingExactDecimals(_ keeps: Bool) throws(ModelError) -> ManagedObjectModel {
        guard keepsExactDecimals != keeps else { return self }
        func fitting(_ attributes: [AttributeDescription]) -> [AttributeDescription] {
            attributes.map { attribute in
                guard attribute.type == .decimal else { return attribute }
                var attribute = attribute
                attribute.keepsDigits = keeps ? true : nil
                attribute.defaultValue = attribute.defaultValue.map {
                    keeps ? Self.text($0) : Self.number($0)
                }
                return attribute
            }
        }
        let entities = entities.map { entity in
            var entity = entity
            entity.ownAttributes = fitting(entity.ownAttributes)
            return entity
        }
        let composites = composites.map { composite in
            var composite = composite
            composite.attributes = fitting(composite.attributes)
            return composite
        }
        return try ManagedObjectModel(
            entities: entities, versionIdentifiers: versionIdentifiers,
            configurations: configurations, composites: composites,
            fetchRequestTemplates: fetchRequestTemplates, extras: extras)
    }

    /// Whether the model's decimals, if it has any, keep all their digits.
    package var keepsExactDecimals: Bool {
        entities.contains { $0.ownAttributes.contains(where: \.isExactDecimal) }
            || composites.contains { $0.attributes.contains(where: \.isExactDecimal) }
    }

    private static func text(_ value: StoredValue) -> StoredValue {
        switch value {
        case .integer(let number): .text(ExactDecimal(number).text)
        case .real(let number): ExactDecimal(number).map { .text($0.text) } ?? value
        default: value
        }
    }

    private static func number(_ value: StoredValue) -> StoredValue {
        guard case .text(var text) = value else { return value }
        return text.withUTF8 { ScalarParser.double($0) }.map { .real($0) } ?? value
    }
}
