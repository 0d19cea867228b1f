/// A named set of attributes that entities use as the type of one attribute.
public struct CompositeDescription: Sendable, Hashable, Codable {
    /// The composite's name, which attributes of type `Composite` give.
    public var name: String
    /// Its attributes, which may be of other composites.
    public var attributes: [AttributeDescription]
    /// What a model file says beyond this, by the file's own names.
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
