package import Diagnostics
import GraphModel
package import RecordStreams

/// An `import` stage: records of files become objects.
package struct ImportSpec: Sendable, Hashable {
    /// What to do with a key that an earlier record of the stage had.
    package enum Duplicates: String, Sendable, Hashable, CaseIterable {
        /// Records apply in their order; a later one's fields win.
        case last
        /// Later records count as superseded.
        case first
        /// Later records are rejected.
        case reject
    }

    /// What to do with an object that was there before the stage.
    package enum WhenFound: String, Sendable, Hashable, CaseIterable {
        /// What the record says is written.
        case update
        /// The object stays as it is.
        case skip
        /// Attributes that the record does not fill go back to their defaults; each record of a
        /// key does so.
        case replace
        /// The record is rejected.
        case reject
        /// Nothing is looked for: every record becomes a new object.
        case append
    }

    /// What to do with an object that is so already.
    package enum WhenSame: String, Sendable, Hashable, CaseIterable {
        case skip, touch
    }

    /// What to do with fields that nothing maps.
    package enum Extra: String, Sendable, Hashable, CaseIterable {
        case ignore, reject, stop
    }

    /// What to do with records that are refused for one reason.
    package enum RejectRule: String, Sendable, Hashable, CaseIterable {
        /// They go to the reject files.
        case reject
        /// The stage ends.
        case stop
        /// The value becomes null, and the record stays.
        case null
    }

    /// What to do with paths of the spec that no record has.
    package enum Unmet: String, Sendable, Hashable, CaseIterable {
        case ignore, warn, stop
    }

    /// The reasons for which a record may be refused.
    package static let rejectCodes = [
        "parse", "shape", "key", "cast", "required", "link", "unique", "validate", "expr",
        "encoding", "too-big", "duplicate", "found", "extra",
    ]

    /// The files and how to read them.
    package var read: ReadSpec
    /// The entity of the objects.
    package var into: PlacedText
    /// The attributes that tell objects apart; empty for the entity's own constraint.
    package var key: [PlacedText] = []
    /// What fills attributes, in the order of the file.
    package var set: [AttributeMapping] = []
    /// Fields that no `set` names fill nothing.
    package var isSetOnly = false
    /// What fills relationships, in the order of the file.
    package var link: [LinkMapping] = []
    /// What to do with repeated keys.
    package var duplicates = Duplicates.last
    /// What to do with objects that were there before.
    package var whenFound = WhenFound.update
    /// Whether it comes to the same when it is stopped and begins again: each record finds the
    /// object that it made before, and says the same of it.
    var isRepeatable: Bool { whenFound == .update || whenFound == .replace }
    /// What to do with objects that are so already.
    package var whenSame = WhenSame.skip
    /// What to do with fields that nothing maps.
    package var extra = Extra.ignore
    /// What to do with paths of the spec that no record has.
    package var unmet = Unmet.warn
    /// What to do with records in which an object has a key twice.
    package var duplicateKeys = Extra.ignore
    /// The codes of rejects that end the stage, in the order of `rejectCodes`.
    package var stops: [String] = []
    /// Where the spec says that a value which is none of its attribute becomes null.
    package var nullsCasts: SourceLocation?
    /// Which objects go that no record names.
    package var mirror: MirrorSpec?
    /// Records for which this is false are filtered out.
    package var keepIf: PredicateText?
    /// Where the stage stands.
    package var location: SourceLocation

    /// Whether an attribute has a key that is made of all fields of the record.
    var usesRowKeys: Bool {
        self.set.contains { mapping in
            if case .field(let field) = mapping.origin { field.isRowKey } else { false }
        }
    }
}

/// What an import deletes after a complete and clean read: the objects that no record names.
package struct MirrorSpec: Sendable, Hashable {
    /// Which of the entity's objects the input is about.
    package var selection = Selection.all
    /// More of them than this, and nothing is deleted.
    package var atMost = CountLimit.percent(10)
    /// Where it stands.
    package var location: SourceLocation
}

/// Records that come from no file: each has a `row`, from 0 on, and expressions do the rest.
package struct GeneratedSpec: Sendable, Hashable {
    /// How many.
    package var rows: TemplateText
    /// Equal seeds make equal records.
    package var seed: Int64 = 0

    static let rowsMax = 1_000_000_000

    /// The name of the row's number, as a field and as `$row`.
    static let rowName = "row"

    /// Where an expression that fills a property draws its values from.
    func drawing(_ entity: String, _ property: String) -> Drawing {
        Drawing(name: "\(entity).\(property)", seed: seed, rowPath: [Self.rowName])
    }
}

/// The files of an import and how to read them.
package struct ReadSpec: Sendable, Hashable {
    /// How inputs are compressed.
    package enum Compression: String, Sendable, Hashable, CaseIterable {
        /// By the name, else by the first bytes.
        case auto
        case gzip
        case none
    }

    /// What becomes of the rows of a table that have fewer fields than columns.
    package enum Ragged: String, Sendable, Hashable, CaseIterable {
        case reject, pad
    }

    /// File patterns; `-` is standard input.
    package var files: [TemplateText] = []
    /// A command whose output is read, in place of files.
    package var command: CommandSpec?
    /// Records that are made, in place of files.
    package var generated: GeneratedSpec?
    /// The format; without one, by extension and then by the first byte.
    package var format: RecordFormat?
    /// The path to the array of records inside a JSON document.
    package var arrayPath = "$"
    /// How the files are compressed.
    package var compression = Compression.auto
    /// The first row names the columns.
    package var hasHeader = true
    /// The columns' names, in place of the header's.
    package var columns: [String]?
    /// The bytes between fields; without any, the format's.
    package var delimiter: [UInt8]?
    /// Lines of a table that are read over, before its header or first row.
    package var linesSkipped = 0
    /// The byte with which lines of a table begin that are no rows.
    package var comment: UInt8?
    /// The byte behind which a byte of a table stands for itself.
    package var escape: UInt8?
    /// A delimiter at the end of a line begins no field.
    package var dropsTrailingDelimiter = false
    /// The byte around fields; nil for none.
    package var quote: UInt8? = UInt8(ascii: "\"")
    /// Unquoted texts that stand for null.
    package var nulls = [""]
    /// Fewer files than this end the run with 66.
    package var filesMin = 1
    /// Fewer records than this end the run with 66.
    package var recordsMin = 0
    /// Files that an earlier run has imported are left out.
    package var isOnce = false
    /// Short rows of a table are filled up, not rejected.
    package var padsShortRows = false
    /// Larger records are rejected, in bytes.
    package var maxRecordBytes = 16 << 20
    /// How far JSON may nest.
    package var depthMax = 512
    /// How many times its size gzip data may inflate to.
    package var maxRatio = 1000
    /// How the bytes of the files stand for text.
    package var encoding = TextEncoding.utf8
    /// The files are rejects, beside which their reasons stand, and their row keys in these.
    package var areRejects = false
}

extension ReadSpec {
    /// The format that all files have, as far as the spec tells.
    var knownFormat: RecordFormat? { format ?? SpecificationReader.commonFormat(files) }

    /// Whether the files are tables, as far as the spec tells.
    var isTable: Bool {
        knownFormat?.isTabular
            ?? (columns != nil || !hasHeader || delimiter != nil || linesSkipped > 0
                || comment != nil || escape != nil || dropsTrailingDelimiter)
    }
}

extension Stage {
    /// Whether the stage comes to the same when it is run again.
    var isRepeatable: Bool {
        if case .import(let spec) = kind { spec.isRepeatable } else { true }
    }
}
