package import GraphModel

extension AttributeDescription {
    /// Whether its values are made by another transformer than ours.
    package var isArchive: Bool { type == .transformable && transformerName != "json" }
}

extension StoreLayout {
    /// Makes sure that what records or expressions give can stand in an attribute's column.
    ///
    /// In an app's store a Transformable holds an archive of the app's objects, which only the app
    /// can write, unless the model names a transformer of ours.
    func requireEncoding(
        of attribute: AttributeDescription, in entity: String
    ) throws(StoreError) {
        guard !isOurs, attribute.isArchive else { return }
        throw StoreError(
            .invalidRequest,
            "'\(entity).\(attribute.name)' holds archives of the app's own objects, which only the"
                + " app can write; leave it out")
    }
}
