/// The JSON Schema of model files, for editors: `etl schema model`.
package enum ModelSchema {
    /// The schema as text.
    package static var text: String { tree.formatted }

    static var tree: JSONTree {
        MappingSchema.tree(
            "A model of etl", id: "urn:etl:schema:model:1", ModelMapping.model,
            parts: ModelMapping.allCases.filter { $0 != .model })
    }
}

/// The reference page of model files.
enum ModelPages {
    static func text() -> String {
        """
        # Keys of a model

        A model is one YAML 1.2 file, or an Xcode model (`.xcdatamodeld`), or what an app's store \
        carries; `etl model convert` goes between them. A key that is not listed is an error, and \
        so is a duplicate one. `etl check` tells more: names that nothing has, inverses that do \
        not point back, defaults that break their own rules.


        """ + MappingPages.sections(ModelMapping.allCases)
    }
}
