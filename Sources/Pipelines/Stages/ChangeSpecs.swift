package import Diagnostics
package import GraphModel
package import RecordStreams

/// What an `update` or a `delete` does by the model's rules.
package enum ChangeRules: String, Sendable, Hashable, CaseIterable {
    /// Values must be as the model says; delete rules cascade, nullify and deny.
    case enforce
    /// Values need only fit their columns; deleted objects leave links to them where they are.
    case ignore
}

/// How many objects an `update` or a `delete` may take at most.
enum ChangeLimit {
    static let bounds: ClosedRange<Int64> = 1...1_000_000_000
}

/// An `update` stage: objects that match get new values.
package struct UpdateSpec: Sendable, Hashable {
    /// What an attribute becomes.
    package enum NewValue: Sendable, Hashable {
        case expression(ExpressionText)
        case constant(ConstantValue)
        /// What stands there cannot be read, which is reported.
        case unreadable
    }

    /// One attribute and what it becomes.
    package struct Assignment: Sendable, Hashable {
        /// The attribute's name, with the place of its key.
        package var attribute: PlacedText
        /// What it becomes.
        package var value: NewValue
        /// Where that stands.
        package var location: SourceLocation

        /// Whether it becomes nothing, as a whole composite may.
        var isNull: Bool {
            if case .constant(.null) = value { true } else { false }
        }
    }

    /// The entity, sub-entities included.
    package var entity: PlacedText
    /// Which of its objects.
    package var selection: Selection
    /// What changes, in the order of the file.
    package var set: [Assignment]
    /// More matches than this, and nothing is done.
    package var atMost: CountLimit?
    /// So many matches at most are taken, those first that came into the store first.
    package var limit: TemplateText?
    /// Pages that are free afterwards go back to the file system.
    package var isCompacting = false
    /// Whether the model's rules hold.
    package var rules = ChangeRules.enforce
}

/// A `delete` stage: objects that match go.
package struct DeleteSpec: Sendable, Hashable {
    /// The entity, sub-entities included.
    package var entity: PlacedText
    /// Which of its objects.
    package var selection: Selection
    /// More matches than this, and nothing is done.
    package var atMost: CountLimit?
    /// So many matches at most are taken, those first that came into the store first.
    package var limit: TemplateText?
    /// Pages that are free afterwards go back to the file system.
    package var isCompacting = false
    /// Whether the model's rules hold.
    package var rules = ChangeRules.enforce
}

/// An `export` stage: objects become a file.
package struct ExportSpec: Sendable, Hashable {
    /// How relationships are written.
    package enum Shape: String, Sendable, Hashable, CaseIterable {
        /// Fields named after their key paths: `owner.email`.
        case flat
        /// Objects in objects, as they stand in the graph.
        case nested
    }

    /// What to do if the external file of a value is missing.
    package enum MissingFiles: String, Sendable, Hashable, CaseIterable {
        /// The export fails.
        case fail
        /// The value is exported as null.
        case null
    }

    /// One term of an order.
    package struct OrderTerm: Sendable, Hashable {
        /// A key path over to-one relationships to an attribute, and how its values are ordered.
        package var key: GraphSortDescriptor
        /// Where it stands.
        package var location: SourceLocation
    }

    /// The entity, sub-entities included.
    package var entity: PlacedText
    /// Which of its objects.
    package var selection: Selection
    /// Key paths in the order of the columns; nil for the default ones.
    package var fields: [PlacedText]?
    /// The order; empty for that of the key.
    package var order: [OrderTerm] = []
    /// The format of the file.
    package var format: RecordFormat
    /// The file.
    package var to: TemplateText
    /// The command that reads what is exported, in place of a file.
    package var command: CommandSpec?
    /// The file is written through gzip.
    package var isCompressed: Bool
    /// gzip's level.
    package var level = 6
    /// How relationships are written.
    package var shape = Shape.flat
    /// A second file tells the rows and the digest of the first.
    package var hasManifest = false
    /// So many files are written in place of one; nil for one.
    package var parts: Int?
    /// What to do if the external file of a value is missing.
    package var missingFiles = MissingFiles.fail
}
