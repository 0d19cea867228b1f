package import Diagnostics
package import RecordStreams

/// One stage of a pipeline.
package struct Stage: Sendable, Hashable {
    /// Unique in its spec; a stage in short form gets one such as `import-tasks`.
    package var name: String
    /// What it does.
    package var kind: StageKind
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

/// What a stage does.
package enum StageKind: Sendable, Hashable {
    case `import`(ImportSpec)
    case update(UpdateSpec)
    case delete(DeleteSpec)
    case export(ExportSpec)
    case verify(VerifySpec)

    /// The key that makes a stage one of this kind.
    package var word: String {
        switch self {
        case .import: "import"
        case .update: "update"
        case .delete: "delete"
        case .export: "export"
        case .verify: "verify"
        }
    }
}

extension StageKind {
    /// Whether it may change the store.
    var isWriting: Bool {
        switch self {
        case .import, .update, .delete: true
        case .export, .verify: false
        }
    }
}

/// A name or other short text with its place.
package struct PlacedText: Sendable, Hashable {
    /// The text as written.
    package var text: String
    /// Where it stands.
    package var location: SourceLocation

    /// Makes a text with its place.
    package init(_ text: String, _ location: SourceLocation) {
        self.text = text
        self.location = location
    }
}

/// A predicate that is not parsed yet.
package struct PredicateText: Sendable, Hashable {
    /// The predicate as written.
    package var text: String
    /// Where it stands.
    package var location: SourceLocation
}

/// An expression that is not parsed yet.
package struct ExpressionText: Sendable, Hashable {
    /// The expression as written.
    package var text: String
    /// Where it stands.
    package var location: SourceLocation
}

/// Which objects of an entity a stage is about.
package enum Selection: Sendable, Hashable {
    case all
    case matching(PredicateText)
}

/// A value that a spec gives outright.
package enum ConstantValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// With its text, so that a decimal keeps its digits.
    case real(Double, text: String)
    /// Text, in which parameters may stand.
    case text(TemplateText)
}

extension RecordFormat {
    /// Rows of fields by position, not objects with names.
    package var isTabular: Bool { self == .csv || self == .tsv }
}
