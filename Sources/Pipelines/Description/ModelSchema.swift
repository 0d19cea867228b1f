/// The JSON Schema of model files, for editors: `etl schema model`.
package enum ModelSchema {
    /// The schema as text.
    package static var text: String { tree.formatted }

    static var tree: JSONTree {
        MappingSchema.tree(
            "A model of etl", id: "urn:etl:schema:model:1", ModelMapping.model,
            parts: Array(ModelMapping.all.dropFirst()))
    }
}

/// The reference page of model files.
enum ModelPages {
    static func text() -> String {
        """
        # Keys of a model

        A model is one YAML 1.2 file, an Xcode model (`.xcdatamodeld`), or the model in an app's \
        store. `etl model convert` converts between them. A key that is not listed is an error, \
        and a duplicate key is an error too. `etl check` also reports unknown names, inverses \
        that do not refer back, and defaults that break the rules of their attribute.


        """ + MappingPages.sections(ModelMapping.all)
    }
}
