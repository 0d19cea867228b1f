import Diagnostics
import YAML

extension ManagedObjectModel {
    /// Builds a model declared in Swift.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(version: "tasks-2") {
    ///     Entity("Task") {
    ///         Attribute("title", .string, optional: false, length: 1...500)
    ///         Relationship("category", to: "Category", inverse: "tasks")
    ///     }
    ///     Entity("Category") {
    ///         Attribute("name", .string, optional: false)
    ///         Relationship("tasks", to: "Task", .many, inverse: "category", delete: .deny)
    ///         Unique("name")
    ///     }
    ///     Configuration("Local", ["Task", "Category"])
    /// }
    /// ```
    /// The model passes the same lints as a model file.
    ///
    /// - Throws: `ModelFileError` with every problem and its location in the Swift source; warnings
    ///   alone do not throw.
    public init(
        version: String? = nil, @ModelBuilder _ parts: () -> [ModelPart]
    ) throws(ModelFileError) {
        let (model, diagnostics) = Self.lint(version: version, parts())
        guard let model else { throw ModelFileError(diagnostics) }
        self = model
    }

    /// Returns the lints' diagnostics, and the model unless one of them is an error.
    static func lint(
        version: String?, _ parts: [ModelPart]
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        let problems = YAMLProblems(file: "model", area: "model")
        var declared = ModelDeclarations()
        declared.versionIdentifiers = version.map { [$0] } ?? []
        for part in parts {
            switch part.content {
            case .entity(let entity):
                declared.entities.append(AttributeLints(problems).completed(entity))
            case .composite(let composite):
                let lints = AttributeLints(problems)
                declared.composites.append(
                    CompositeDescription(
                        name: composite.name,
                        attributes: composite.attributes.map { lints.completed($0, at: $0.place) }))
                declared.compositePlaces.append(composite.attributes.map(\.place))
            case .configuration(let configuration):
                declared.configurationMembers.append(
                    (configuration.name, configuration.members))
            }
        }
        let reading = ModelFile.reading(of: declared, problems)
        return (reading.model, reading.diagnostics)
    }
}

/// A part of a model: an entity, a composite, or a configuration.
public struct ModelPart: Sendable {
    enum Content: Sendable {
        case entity(Entity)
        case composite(Composite)
        case configuration(Configuration)
    }

    let content: Content
}

/// A named set of entities, which a store can hold alone.
public struct Configuration: Sendable {
    let name: String
    let members: [PlacedName]

    /// Declares a configuration by the names of its entities.
    public init(
        _ name: String, _ entities: [String], file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) {
        let place = SourceLocation(file: file, line: line, column: column, keyPath: name)
        self.name = name
        members = entities.map { PlacedName(name: $0, place: place) }
    }
}

/// A named set of attributes that an entity's attribute can consist of.
///
/// ```swift
/// Composite("Scale", [Attribute("richter", .double), Attribute("agency", .string)])
/// Entity("Quake") { Attribute("magnitude", composite: "Scale") }
/// ```
public struct Composite: Sendable {
    let name: String
    let attributes: [Attribute]

    /// Declares a composite by its elements.
    public init(_ name: String, _ attributes: [Attribute]) {
        self.name = name
        self.attributes = attributes
    }
}

/// The result builder for the parts of a model.
@resultBuilder public enum ModelBuilder {
    /// Adds an entity.
    public static func buildExpression(_ entity: Entity) -> [ModelPart] {
        [ModelPart(content: .entity(entity))]
    }

    /// Adds a composite.
    public static func buildExpression(_ composite: Composite) -> [ModelPart] {
        [ModelPart(content: .composite(composite))]
    }

    /// Adds a configuration.
    public static func buildExpression(_ configuration: Configuration) -> [ModelPart] {
        [ModelPart(content: .configuration(configuration))]
    }

    /// Adds parts built elsewhere.
    public static func buildExpression(_ parts: [ModelPart]) -> [ModelPart] { parts }

    /// Combines parts in their order.
    public static func buildBlock(_ parts: [ModelPart]...) -> [ModelPart] { parts.flatMap(\.self) }

    /// Adds parts under a condition.
    public static func buildOptional(_ parts: [ModelPart]?) -> [ModelPart] { parts ?? [] }

    /// Adds the parts of the first branch.
    public static func buildEither(first parts: [ModelPart]) -> [ModelPart] { parts }

    /// Adds the parts of the second branch.
    public static func buildEither(second parts: [ModelPart]) -> [ModelPart] { parts }

    /// Adds the parts of a loop.
    public static func buildArray(_ parts: [[ModelPart]]) -> [ModelPart] { parts.flatMap(\.self) }
}
