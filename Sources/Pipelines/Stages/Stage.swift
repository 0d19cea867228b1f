package import Diagnostics

/// One stage of a pipeline.
package struct Stage: Sendable {
    /// Unique in its spec; a stage in short form gets one such as `import-tasks`.
    package var name: String
    /// What it does.
    var kind: any StageKind
    /// Where it stands in the spec.
    package var location: SourceLocation
    /// All that the spec says of it, and whatever else makes it another stage.
    var words = ""
    /// It runs although an earlier stage failed.
    package var isAlways = false

    /// The place as messages about a run show it: `pipelines/orders.yaml:18:5 import orders`.
    package var reportLocation: StagePlace {
        StagePlace(kind: kind.word, name: name, location: location)
    }
}

extension Stage: Hashable {
    package static func == (one: Stage, other: Stage) -> Bool { one.parts == other.parts }

    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    private var parts: [AnyHashable] { [name, kind.hashable, location, words, isAlways] }
}
