import Diagnostics
import Files

/// The settings and code of one kind of stage in `StageKinds.all`; each kind has its own folder.
protocol StageKind: Sendable, Hashable {
    /// The keys of the stage; the first one identifies the kind, such as `import`.
    static var mapping: DescribedMapping { get }
    /// Whether stages of this kind may change the store.
    static var isWriting: Bool { get }
    /// Reads the keys of a stage, except the keys that all kinds share.
    static func read(_ keys: KeyedMapping) -> ReadStage

    /// The entity of the stage, or `nil` if it has no single entity.
    var entityName: String? { get }
    /// The command that the stage runs.
    var command: CommandSpec? { get }
    /// The paths that the stage reads or writes.
    var paths: [TemplateText] { get }
    /// The purpose for which the stage uses its paths, for the check of URLs.
    var pathUse: URLCheck.Use { get }
    /// Whether a restart of the stage has the same result.
    var isRepeatable: Bool { get }
    /// Checks the stage against the model: names, paths, and constants.
    func check(_ checker: inout SpecificationChecker)
    /// Checks the predicates and expressions of the stage.
    func check(_ checker: inout ExpressionChecker)
    /// Returns the files that the stage writes.
    func outputs(_ values: ParameterValues) -> [FileName]
    /// Checks the files that the stage reads or writes.
    func check(_ check: inout FileUseCheck)
    /// Runs a stage of this kind, and records its progress and its end.
    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport
}

extension StageKind {
    /// The key that identifies a stage of this kind, such as `import`.
    static var word: String { mapping.definition }
    var word: String { Self.word }
    var isWriting: Bool { Self.isWriting }
    var hashable: AnyHashable { AnyHashable(self) }

    var command: CommandSpec? { nil }
    var paths: [TemplateText] { [] }
    var pathUse: URLCheck.Use { .other }
    var isRepeatable: Bool { true }
    func outputs(_ values: ParameterValues) -> [FileName] { [] }
    func check(_ check: inout FileUseCheck) {}
}

/// A stage as read from the spec; its kind is `nil` if a required part cannot be read.
struct ReadStage {
    var name: String
    /// The location of the name, if the spec sets it.
    var explicitName: SourceLocation?
    var kind: (any StageKind)?
}
