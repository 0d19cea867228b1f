/// The JSON Schema of specs, for editors: `etl schema`.
package enum SpecificationSchema {
    /// The schema as text.
    package static var text: String { tree.formatted }

    static var tree: JSONTree {
        MappingSchema.tree(
            "A spec of etl", id: "urn:etl:schema:spec:1", SpecKeys.mapping,
            parts: Array(DescribedMapping.ofSpecs.dropFirst()))
    }
}
