import Diagnostics
package import GraphStore
import YAML

/// The keys that several kinds of stages share.
enum StageKeys {
    static let always = Key(
        "always", .boolean, default: false,
        """
        Runs this stage even if an earlier stage failed. It sees the store as that stage left it; \
        with `commit: run`, the store before the run, or an empty store if no store existed.
        """, example: "true")
    /// The key `entity`, for a stage whose own key contains the stage's name instead of the entity.
    static let entity = Key(
        "entity", .text, without: "the value of the stage's own key",
        "The entity, including sub-entities.", example: "Task")
    static let selection = Key(
        required: "where", .selection, "Selects the objects; `ALL` selects every object.",
        example: "\"isCompleted == YES\"", fix: "write `where: ALL` if you mean every object")

    /// The allowed values of a stage's own key, such as `delete`, if the value can be the stage's
    /// name.
    static let nameForm = Form<PlacedText>(
        .pattern(
            "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$",
            "1 to 64 letters, digits, hyphens, underscores, dots")
    ) { value, reader in reader.placed(value) }
}

extension ReadStage {
    /// Creates a stage with an explicit name, which is also used in file names.
    init(_ word: String, named name: PlacedText?, _ reader: SpecificationReader) {
        guard let name else {
            self.init(name: word)
            return
        }
        let isPlain = name.text.unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "._-".contains(Character($0)))
        }
        if !isPlain || name.text.utf8.count > 64 || PathText.isHidden(name.text) {
            reader.problems.report(
                "spec.name", "'\(name.text)' is not a valid stage name", at: .source(name.location),
                fix: "use 1 to 64 letters, digits, hyphens, underscores, and dots")
        }
        self.init(name: name.text, explicitName: name.location)
    }

    /// Reads `delete: Task`, or `delete: old-done` with `entity: Task`.
    ///
    /// - Parameter own: The key of the stage's kind.
    /// - Returns: The stage and its entity, which is empty if it cannot be read, so that the rest
    ///   is checked.
    static func withEntity(
        _ own: Key<PlacedText?>, _ keys: KeyedMapping
    ) -> (stage: ReadStage, entity: PlacedText) {
        let name = keys[own]
        if let value = keys.source(of: StageKeys.entity) {
            return (
                ReadStage(own.name, named: name, keys.reader),
                keys[StageKeys.entity] ?? PlacedText("", value.location)
            )
        }
        let entity = name ?? PlacedText("", keys.location)
        return (ReadStage(name: "\(own.name)-\(PipelineSpec.slug(entity.text))"), entity)
    }
}

/// The spec keys of `update` and `delete` stages that limit which objects the stage changes.
enum ChangeKeys {
    static let atMost = Key(
        "at-most", .limit, without: "no limit",
        """
        If more objects than this match, the stage changes nothing and fails with 65. With \
        `limit`, only the objects within it count. For a deletion, a number also counts the \
        objects that delete rules add by cascade. A share counts only the matches.
        """, example: "50000")
    static let limit = Key(
        "limit", .count(bounds, of: "objects", parameter: "most"), without: "no limit",
        """
        Maximum number of objects. The oldest come first, by primary key and not by a date.
        """, example: "1000")
    static let rules = Key(
        "rules", .choice(BatchRules.self), default: .enforce,
        """
        Whether to enforce the model's rules: value rules in an `update`, delete rules in a \
        `delete`. A warning reports how many objects a deny rule keeps, and by which relationship.
        """, example: "ignore")
    static let compact = Key(
        "compact", .boolean, default: false, "Returns free pages of the store to the file system.",
        example: "true")
    static let all: [any SpecificationKey] = [atMost, limit, rules, compact]

    /// The allowed values of the key `limit`.
    static let bounds: ClosedRange<Int64> = 1...1_000_000_000
}

/// The limits and rules of an `update` or a `delete`.
package struct ChangeExtent: Sendable, Hashable {
    /// The limit on matching objects; if it is exceeded, nothing is changed.
    package var atMost: CountLimit?
    /// The maximum number of objects to change; the oldest come first, by primary key.
    package var limit: TemplateText?
    /// Whether the model's rules are enforced.
    package var rules = ChangeKeys.rules.default
    /// Whether free pages are returned to the file system afterward.
    package var isCompacting = ChangeKeys.compact.default
}

extension ChangeExtent {
    init(_ keys: KeyedMapping) {
        self.init(
            atMost: keys[ChangeKeys.atMost], limit: keys[ChangeKeys.limit],
            rules: keys[ChangeKeys.rules], isCompacting: keys[ChangeKeys.compact])
    }
}
