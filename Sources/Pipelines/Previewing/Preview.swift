package import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// Shows the result of mapping the first records of a spec's imports: `etl preview`.
///
/// Records are read, mapped, and cast as in a run. Nothing is written, and the store needs to exist
/// only if the spec names no model. Without the store, the preview cannot know whether the object
/// of a link exists, or which values an existing object has.
package struct Preview: Sendable {
    /// The result of a preview.
    package struct Outcome: Sendable {
        /// The exit status for the first failure; `ok` without a failure.
        package var status = ExitStatus.ok
        /// The errors of the spec or of an input.
        package var errors: [Diagnostic] = []
        /// The results of the imports, in order.
        package var stages: [Stage] = []
    }

    /// The result of one import.
    package struct Stage: Sendable, Hashable {
        /// The name of the import in the spec.
        package var name: String
        /// The number of shown records.
        package var mapped = 0
        /// The number of records that the reader, the mapping, or the model rejected.
        package var rejected = 0
        /// The number of records that `keep-if` left out, if the input was read completely.
        package var filtered = 0

        /// The counts as a sentence.
        package var text: String {
            "\(name): \(ReportNumbers.several(mapped, "record")) mapped, \(rejected) rejected"
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
    private let emit: @Sendable (Diagnostic) -> Void

    /// Creates a preview of one import, or of all imports, of a spec.
    ///
    /// - Parameters:
    ///   - only: the import to show; `nil` shows all imports.
    ///   - limit: the maximum number of mapped records to show per import. As many rejected
    ///     records, and at least 10, also end it.
    ///   - path: the output file; `-` is standard output.
    ///   - isTerminal: whether control characters are escaped.
    ///   - triedMax: the number of mapped records per import to check against the model in memory.
    ///     Records read in the same batch are also checked.
    ///   - allowsCommands: whether imports may start commands.
    ///   - emit: called immediately with rejects, and with paths that no record contains.
    package init(
        _ context: ParameterValues.Context, only: String? = nil, limit: Int = 10,
        to path: String = "-", isTerminal: Bool = false, triedMax: Int = 10_000,
        allowsCommands: Bool = true,
        emit: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.context = context
        self.only = only
        self.limit = limit
        self.path = path
        self.isTerminal = isTerminal
        self.triedMax = triedMax
        self.allowsCommands = allowsCommands
        self.emit = emit
    }

    /// Shows the imports of a spec; if an input cannot be read, the other imports are still shown.
    package func run(_ file: String) -> Outcome {
        var outcome = Outcome()
        do {
            try run(file, &outcome)
        } catch {
            // The reader has closed the pipe.
            if let error = error as? RecordStreamError, case .outputClosed = error.kind {
                return outcome
            }
            outcome.add(RunFailure(error))
        }
        return outcome
    }

    private func run(_ file: String, _ outcome: inout Outcome) throws {
        let (checked, _, problems) = SpecificationFile.check(file: file, context)
        // Show the same advice on the spec and its model as `check`.
        problems.filter { $0.severity != .error }.forEach(emit)
        guard let spec = checked else { throw RunFailure(problems: problems.errors) }
        let imports = try imports(of: spec)
        if !allowsCommands { try CommandCheck.reject(imports) }
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
        // If no store can be created for the model, the import's own trial reports it.
        let fresh = { hasCommon ? try? EarlierRows(model, rowsMax: triedMax) : nil }
        var earlier = fresh()
        for stage in spec.stages {
            guard let imported = stage.kind as? ImportSpec else {
                // The effect of the stage on earlier rows is unknown.
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
                    emit: emit)
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

    /// Returns whether several imports write to one table; otherwise, they cannot conflict with
    /// each other.
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

    /// Returns whether objects of an import's records may already exist: in the store, in a copied
    /// app's store, or from an earlier import.
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

    /// Returns the spec's model, or otherwise the store's model.
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
    /// Returns the root entities of the objects that an import writes, including nested objects at
    /// any depth.
    ///
    /// - Parameter whereNamed: whether to include objects that are created because links refer to
    ///   them.
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
    /// Adds a failure; the first failure determines the status.
    fileprivate mutating func add(_ failure: RunFailure) {
        if status == .ok { status = failure.status }
        errors += failure.diagnostics
    }
}

extension [Diagnostic] {
    /// The diagnostics that are errors.
    fileprivate var errors: [Diagnostic] { filter { $0.severity == .error } }
}
