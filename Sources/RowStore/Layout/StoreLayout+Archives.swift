package import GraphModel

extension AttributeDescription {
    /// Whether a transformer other than ours encodes its values.
    package var isArchive: Bool { type == .transformable && transformerName != "json" }
}

extension StoreLayout {
    /// Checks that values from records or expressions can be encoded for an attribute's column.
    ///
    /// In an app's store, a Transformable holds an archive of the app's objects. Only the app can
    /// write it, unless the model names one of our transformers.
    package func requireEncoding(
        of attribute: AttributeDescription, in entity: String
    ) throws(StoreError) {
        guard !isOurs, attribute.isArchive else { return }
        throw StoreError(
            .invalidRequest,
            "'\(entity).\(attribute.name)' holds archives of the app's own objects, which only the"
                + " app can write; leave it out")
    }
}
