/// A named set of attributes that entities use as the type of one attribute.
public struct CompositeDescription: Sendable, Hashable, Codable {
    /// The composite's name, to which attributes of type `Composite` refer.
    public var name: String
    /// Its attributes, which can be of other composites.
    public var attributes: [AttributeDescription]
    /// Other content of a model file, under the file's own keys.
    @EmptyByDefault public var extras: [String: String]

    /// Creates a composite.
    public init(
        name: String, attributes: [AttributeDescription] = [], extras: [String: String] = [:]
    ) {
        self.name = name
        self.attributes = attributes
        self.extras = extras
    }
}
