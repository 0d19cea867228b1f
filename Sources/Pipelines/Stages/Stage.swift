package import Diagnostics

/// One stage of a pipeline.
package struct Stage: Sendable {
    /// The name, which is unique in its spec; the short form has a default such as `import-tasks`.
    package var name: String
    /// The settings of the stage's kind.
    var kind: any StageKind
    /// The location of the stage in the spec.
    package var location: SourceLocation
    /// The contents of the stage in the spec, and everything else that distinguishes it.
    var words = ""
    /// Whether the stage runs even if an earlier stage failed.
    package var isAlways = false

    /// The location for messages about a run: `pipelines/orders.yaml:18:5 import orders`.
    package var reportLocation: StagePlace {
        StagePlace(kind: kind.word, name: name, location: location)
    }
}

extension Stage: Hashable {
    /// Returns whether both stages have equal names, settings, locations, contents, and `isAlways`.
    package static func == (one: Stage, other: Stage) -> Bool { one.parts == other.parts }

    /// Hashes the properties that `==` compares.
    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    private var parts: [AnyHashable] { [name, kind.hashable, location, words, isAlways] }
}
