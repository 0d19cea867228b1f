/// The stage of a pipeline that a message is about.
package struct StagePlace: Sendable, Hashable {
    /// `import`, `update`, `delete`, `export`, or `verify`.
    package var kind: String
    /// Its name in the spec.
    package var name: String
    /// Where it stands in the spec, or the key in it that the message is about.
    package var location: SourceLocation
    /// That key, such as `set.title`; nil for the stage as a whole.
    package var key: String?

    /// Makes a place.
    package init(kind: String, name: String, location: SourceLocation, key: String? = nil) {
        self.kind = kind
        self.name = name
        self.location = location
        self.key = key
    }

    /// As messages show it: `pipelines/orders.yaml:18:5 import orders`.
    package var text: String {
        "\(location.file):\(location.line):\(location.column) \(kind) \(name)"
            + (key.map { ", \($0)" } ?? "")
    }
}
