package import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// Shows what a spec makes of the first records of its imports: `etl preview`.
///
/// Records are read, mapped and cast as a run does it; nothing is written, and no store has to be
/// there unless it is what tells the model. What only the store can tell is not told: whether a
/// link's object is there, and what an object that is there has already.
package struct Preview: Sendable {
    /// How a preview ended.
    package struct Outcome: Sendable {
        package var status = ExitStatus.ok
        /// What went wrong with the spec or an input.
        package var errors: [Diagnostic] = []
        /// What was made of each import, in their order.
        package var stages: [Stage] = []
    }

    /// What was made of one import.
    package struct Stage: Sendable, Hashable {
        package var name: String
        /// Records that are shown.
        package var mapped = 0
        /// Records that the reader, the mapping or the model refused.
        package var rejected = 0
        /// Records that `keep-if` left out, where the input was read to its end.
        package var filtered = 0

        /// The counts as a sentence.
        package var text: String {
            "\(name): \(ReportWords.several(mapped, "record")) mapped, \(rejected) rejected"
                + (filtered > 0 ? ", \(filtered) filtered" : "")
        }
    }

    private let context: ParameterValues.Context
    private let only: String?
    private let limit: Int
    private let path: String
    private let isTerminal: Bool
    private let triedMax: Int
    private let allowsCommands: Bool
    private let tell: @Sendable (Diagnostic) -> Void

    /// - Parameters:
    ///   - only: the import to show; nil shows all of them.
    ///   - limit: so many mapped records of each import are shown; as many refused ones, and at
    ///     least ten, end it, too.
    ///   - path: where the records go; `-` is standard output.
    ///   - isTerminal: control characters are spelt out.
    ///   - triedMax: so many mapped records of each import, and those that are read along with
    ///     them, are tried against the model, which holds them in memory.
    ///   - allowsCommands: imports may start commands.
    ///   - tell: is told at once of rejects, and of paths that no record has.
    package init(
        _ context: ParameterValues.Context, only: String? = nil, limit: Int = 10,
        to path: String = "-", isTerminal: Bool = false, triedMax: Int = 10_000,
        allowsCommands: Bool = true,
        tell: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.context = context
        self.only = only
        self.limit = limit
        self.path = path
        self.isTerminal = isTerminal
        self.triedMax = triedMax
        self.allowsCommands = allowsCommands
        self.tell = tell
    }

    /// Shows the imports of a spec; one whose input cannot be read does not keep the others back.
    package func run(_ file: String) -> Outcome {
        var outcome = Outcome()
        do {
            try run(file, &outcome)
        } catch {
            // Whoever read the records has seen enough.
            if let error = error as? RecordStreamError, case .outputClosed = error.kind {
                return outcome
            }
            outcome.add(RunFailure(error))
        }
        return outcome
    }

    private func run(_ file: String, _ outcome: inout Outcome) throws {
        let (checked, _, problems) = SpecificationFile.check(file: file, context)
        // Whoever looks wants the advice on the spec and its model that `check` gives, too.
        problems.filter { $0.severity != .error }.forEach(tell)
        guard let spec = checked else { throw RunFailure(problems: problems.errors) }
        let imports = try imports(of: spec)
        if !allowsCommands { try CommandCheck.refuse(imports) }
        var context = context
        context.runID = context.runID ?? RunName.of(context.now.timeIntervalSinceReferenceDate)
        let (bound, unbound) = ParameterValues.bind(spec, context)
        guard let values = bound else { throw RunFailure(.configuration, unbound) }
        let model = try model(of: spec, values)
        let output = try OutputFile(path: path, escapesControls: isTerminal)
        let leavesArchives = StoreTarget.isOfApp(
            values.path(spec.store.at), spec.store.open,
            template: spec.store.template.map(values.path))
        let hasCommon = Self.haveCommonTables(imports, model)
        // A model of which no store can be made is told by the import's own trial.
        let fresh = { hasCommon ? try? EarlierRows(model, rowsMax: triedMax) : nil }
        var earlier = fresh()
        for stage in spec.stages {
            guard let imported = stage.kind as? ImportSpec else {
                // What it leaves of earlier rows is not known.
                if stage.kind.isWriting { earlier = fresh() }
                continue
            }
            guard imports.contains(where: { $0.name == stage.name }) else { continue }
            defer { if imported.mirror != nil { earlier = fresh() } }
            do {
                let shown = StagePreview(
                    stage: stage, spec: imported, model: model, values: values, limit: limit,
                    mayBeThere: mayHold(stage, spec, model, values),
                    leavesArchives: leavesArchives, triedMax: triedMax,
                    tell: tell)
                outcome.stages.append(try shown.run(spec, context.now, &earlier, to: output))
            } catch let error as RecordStreamError {
                if case .outputClosed = error.kind { throw error }
                outcome.add(RunFailure(error, stage: stage.reportLocation))
            } catch {
                outcome.add(RunFailure(error, stage: stage.reportLocation))
            }
        }
        _ = try output.finish(rowCount: outcome.stages.reduce(0) { $0 + $1.mapped })
    }

    /// Whether some are into one table: of others none finds anything taken by another.
    private static func haveCommonTables(
        _ imports: [Pipelines.Stage], _ model: ManagedObjectModel
    ) -> Bool {
        let roots = imports.compactMap { stage -> String? in
            guard let imported = stage.kind as? ImportSpec else { return nil }
            return model.rootName(of: imported.into.text)
        }
        return Set(roots).count < roots.count
    }

    private func imports(of spec: PipelineSpec) throws(RunFailure) -> [Pipelines.Stage] {
        let imports = spec.stages.filter { $0.kind.word == "import" }
        guard let only else { return imports }
        let found = imports.filter { $0.name == only }
        guard found.isEmpty else { return found }
        let names = imports.map(\.name)
        let other = spec.stages.first { $0.name == only }?.kind.word
        throw RunFailure(
            .usage, code: "usage.stage",
            other.map { "--stage: '\(only)' is of the kind `\($0)`; only imports map records" }
                ?? "--stage: \(spec.file) has no import '\(only)'"
                + Suggestion.phrase(for: only, among: names),
            fix: "the imports are \(names.joined(separator: ", "))")
    }

    /// Whether objects of an import's records may be there before it: those of the store, of an
    /// app's store that is copied, or of an earlier import.
    private func mayHold(
        _ stage: Pipelines.Stage, _ spec: PipelineSpec, _ model: ManagedObjectModel,
        _ values: ParameterValues
    ) -> Bool {
        if spec.store.template != nil { return true }
        if spec.store.open != .replace,
            FileSystem.exists(values.path(spec.store.at))
        {
            return true
        }
        let own = model.rootsWritten(by: stage, whereNamed: false)
        return spec.stages.prefix { $0.name != stage.name }.contains {
            !own.isDisjoint(with: model.rootsWritten(by: $0, whereNamed: true))
        }
    }

    /// The spec's model, or else the store's own.
    private func model(
        of spec: PipelineSpec, _ values: ParameterValues
    ) throws -> ManagedObjectModel {
        let (read, problems) = spec.readModel(values)
        guard problems.errors.isEmpty else { throw RunFailure(problems: problems.errors) }
        let model: ManagedObjectModel
        if let read {
            model = read
        } else {
            var options = StoreOptions()
            options.isReadOnly = true
            model = try PersistentContainer(
                model: nil, .sqlite(at: values.path(spec.store.at), options: options)
            ).model
        }
        let found = SpecificationChecker.check(spec, model) + ExpressionChecker.check(spec, model)
        guard found.errors.isEmpty else {
            throw RunFailure(problems: DiagnosticList(found.errors).diagnostics)
        }
        return model
    }
}

extension ManagedObjectModel {
    /// The roots of the entities of which an import writes objects: its own, and those inside its
    /// records at any depth.
    ///
    /// - Parameter whereNamed: those of objects, too, that are made because links name them.
    fileprivate func rootsWritten(by stage: Stage, whereNamed: Bool) -> Set<String> {
        guard let spec = stage.kind as? ImportSpec else { return [] }
        var roots: Set = [rootName(of: spec.into.text)]
        func add(_ links: [LinkMapping], of entity: String) {
            for link in links {
                guard let relationship = relationship(link.relationship.text, of: entity)
                else { continue }
                let target = link.to?.text ?? relationship.destinationEntityName
                if link.nested != nil || whereNamed && link.missing == .create {
                    roots.insert(rootName(of: target))
                }
                add(link.nested?.link ?? [], of: target)
            }
        }
        add(spec.link, of: spec.into.text)
        return roots
    }
}

extension Preview.Outcome {
    /// Adds a failure; the status is that of the first.
    fileprivate mutating func add(_ failure: RunFailure) {
        if status == .ok { status = failure.status }
        errors += failure.diagnostics
    }
}

extension [Diagnostic] {
    /// Those that are no mere warnings.
    fileprivate var errors: [Diagnostic] { filter { $0.severity == .error } }
}
