import Diagnostics
import Files

/// What a stage does: one of `StageKinds.all`, each in a folder of its own.
protocol StageKind: Sendable, Hashable {
    /// Its keys. The first key makes a stage one of this kind, and has the mapping's name.
    static var mapping: SpecificationMapping { get }
    /// Whether it may change the store.
    static var isWriting: Bool { get }
    /// Reads the keys of a stage but those that each kind has.
    static func read(_ keys: KeyedMapping) -> ReadStage

    /// The entity that it is about, if it is one.
    var entityName: String? { get }
    /// The command that it starts.
    var command: CommandSpec? { get }
    /// The paths that it reads or writes.
    var paths: [TemplateText] { get }
    /// What its paths are for.
    var pathUse: URLCheck.Use { get }
    /// Whether it comes to the same when it is stopped and begins again.
    var isRepeatable: Bool { get }
    /// Checks it against the model: names, paths, and constants.
    func check(_ checker: inout SpecificationChecker)
    /// Checks its predicates and expressions.
    func check(_ checker: inout ExpressionChecker)
    /// The files that it writes.
    func outputs(_ values: ParameterValues) -> [FileName]
    /// Checks the files that it reads or writes.
    func check(_ check: inout FileUseCheck)
    /// Runs a stage of this kind, which takes note of its progress and of its end.
    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport
}

extension StageKind {
    /// The key that makes a stage one of this kind.
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

/// A stage as read: its kind is nil if a part that it needs cannot be read.
struct ReadStage {
    var name: String
    /// Where the name is, if the spec gives one.
    var explicitName: SourceLocation?
    var kind: (any StageKind)?
}
