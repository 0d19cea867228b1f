/// The pipeline stage that a message refers to.
package struct StagePlace: Sendable, Hashable {
    /// The kind: `import`, `update`, `delete`, `export`, or `verify`.
    package var kind: String
    /// The stage's name in the spec.
    package var name: String
    /// The location of the stage in the spec, or of the key that the message refers to.
    package var location: SourceLocation
    /// The key, such as `set.title`; `nil` for the complete stage.
    package var key: String?

    /// Creates a stage reference.
    package init(kind: String, name: String, location: SourceLocation, key: String? = nil) {
        self.kind = kind
        self.name = name
        self.location = location
        self.key = key
    }

    /// The text in messages, such as `pipelines/orders.yaml:18:5 import orders`.
    package var text: String {
        "\(location.file):\(location.line):\(location.column) \(kind) \(name)"
            + (key.map { ", \($0)" } ?? "")
    }
}
