import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// One test of a spec, which runs on its own store.
///
/// The stages run unchanged on a new store in the folder for temporary files, but with the records
/// of the test. The store is a file, because an import reads while it writes, and in a store in
/// memory these block each other. Exports count their rows and write nothing. The number of rejects
/// is not limited, because the test states the expected rejects.
struct TestRun {
    private let spec: PipelineSpec
    private let test: SpecificationTest
    private let model: ManagedObjectModel
    private let values: ParameterValues
    private let interruption: Interruption
    private let folder: String
    private static let runID = "test"

    /// The result of a test.
    struct Result {
        var container: PersistentContainer
        /// The stage that failed, as the test expects.
        var failedStage: String?
        /// The rejects, in the order of the stages and of the records in each stage.
        var rejects: [(stage: String, reason: RejectReason)]
    }

    /// Prepares a test: a store in the folder, and the stages with the records of the test.
    ///
    /// - Parameter folder: the folder to which the test may write.
    /// - Throws: `RunFailure` if the test cannot run.
    init(
        _ spec: PipelineSpec, _ test: SpecificationTest, _ context: ParameterValues.Context,
        _ interruption: Interruption, folder: String
    ) throws(RunFailure) {
        self.test = test
        self.folder = folder
        self.interruption = interruption
        var context = context
        context.runID = Self.runID
        context.sets = try Self.sets(
            spec, test, specFolder: PathText.join(context.workingFolder, spec.folder))
        // The environment of the machine must not affect a test.
        context.environment = [:]
        if let now = test.now {
            let seconds = TimeText.date(
                now.text, now: context.now.timeIntervalSinceReferenceDate)
            guard let seconds else {
                throw RunFailure(
                    .configuration, code: "spec.type",
                    "'\(now.text)' is not a date such as 2026-01-31",
                    at: .source(now.location))
            }
            context.now = Date(timeIntervalSinceReferenceDate: seconds)
        }
        var spec = Self.withoutSources(spec)
        let (bound, problems) = ParameterValues.bind(spec, context)
        guard let bound else { throw RunFailure(.configuration, problems) }
        values = bound
        let (model, modelProblems) = spec.readModel(bound)
        guard let model else {
            let errors = modelProblems.filter { $0.severity == .error }
            guard errors.isEmpty else { throw RunFailure(problems: errors) }
            throw RunFailure(
                .configuration, code: "test.model", "A spec without a model cannot be tested",
                at: .source(spec.store.location),
                fix: "name the model under `store.model`")
        }
        self.model = model
        spec.rejects.allow = .percent(100)
        spec.rejects.abort = .percent(100)
        self.spec = spec
        let wrong = TestNameCheck.check(test, spec, model)
        guard wrong.isEmpty else { throw RunFailure(.configuration, wrong) }
    }

    /// Returns the values of the test's parameters; path parameters that only locate inputs are
    /// optional.
    private static func sets(
        _ spec: PipelineSpec, _ test: SpecificationTest, specFolder: String
    ) throws(RunFailure) -> [String] {
        for (name, _) in test.parameters
        where !spec.parameters.contains(where: { $0.name == name.text }) {
            throw RunFailure(
                .configuration, code: "spec.unknown-parameter",
                "The spec has no parameter '\(name.text)'"
                    + Suggestion.phrase(
                        for: name.text, among: spec.parameters.map(\.name)),
                at: .source(name.location))
        }
        let given = Set(test.parameterNames.map(\.text))
        let missing = spec.parameters.filter {
            $0.kind == .path && $0.defaultText == nil && !given.contains($0.name)
        }
        let paths = Set(spec.parameters.filter { $0.kind == .path }.map(\.name))
        let texts = test.parameters.map { name, text in
            // Relative paths start at the spec's folder, not at the working folder.
            let isPath = paths.contains(name.text) && !["", "-"].contains(text)
            return "\(name.text)=\(isPath ? PathText.join(specFolder, text) : text)"
        }
        return texts
            + missing.map { "\($0.name)=/nowhere" }
    }

    /// Returns the spec without its secrets and its files from this machine.
    ///
    /// They are not part of a test.
    private static func withoutSources(_ spec: PipelineSpec) -> PipelineSpec {
        var spec = spec
        for place in spec.parameters.indices {
            spec.parameters[place].sources = []
            guard spec.parameters[place].kind == .secret else { continue }
            spec.parameters[place].kind = .string
            spec.parameters[place].defaultText = "secret"
        }
        return spec
    }

    // MARK: Playing

    /// Runs the test.
    ///
    /// - Throws: the error that ended a stage.
    func run() throws -> Result {
        let container = try PersistentContainer(
            model: model,
            .sqlite(at: PathText.join(folder, "store.sqlite"), opening: .create))
        let now = values.values["now"].flatMap { value -> Double? in
            guard case .date(let seconds, _) = value else { return nil }
            return seconds
        }
        let journal = try RunJournal(
            RunNote(pipeline: spec.name, runID: Self.runID, started: now ?? 0, fingerprint: ""),
            NotedPaths(spec), .new, isSameAttempt: false, in: container)
        let environment = StageEnvironment(
            spec: spec, container: container, values: values, paths: NotedPaths(spec),
            runID: Self.runID, now: now ?? 0,
            sets: [], workingFolder: folder, isDry: true, checksInputs: false,
            progress: RunProgress(), interruption: interruption, journal: journal,
            ledger: StageResults(), outputs: OutputGuard(), recordsMax: nil, warn: { _ in })
        let stages = try before() + spec.stages.map(stage)
        var failed: String?
        for stage in stages where failed == nil || stage.isAlways {
            do {
                try interruption.check()
                _ = try stage.kind.run(stage, environment)
            } catch let stop as Interrupted {
                throw stop
            } catch {
                guard stage.name == test.then.fails?.text else {
                    throw RunFailure(error, stage: stage.reportLocation)
                }
                failed = stage.name
            }
        }
        try container.buildPendingIndexes()
        return Result(
            container: container, failedStage: failed,
            rejects: try stages.flatMap { try rejects(of: $0, container) })
    }

    /// Returns import stages that create the objects that exist before the test.
    private func before() throws -> [Stage] {
        let imports = TestNameCheck.imports(of: spec)
        return try test.given.filter { !imports.contains($0.name.text) }.map { given in
            let place = given.name.location
            let name = "given-" + given.name.text
            var imported = ImportSpec(read: ReadSpec(), into: given.name, location: place)
            imported.read = try read(imported.read, given.records, name, at: place)
            return Stage(name: name, kind: imported, location: place)
        }
    }

    private func stage(_ stage: Stage) throws -> Stage {
        guard var imported = stage.kind as? ImportSpec else { return stage }
        let given = test.given.first { $0.name.text == stage.name }
        if given == nil, imported.read.generated != nil { return stage }
        let records = given?.records ?? []
        // Without records, the columns of a table are unknown.
        let columns = imported.read.isTable && !records.isEmpty ? imported.columnNames : nil
        imported.read = try read(
            imported.read, records, stage.name, columns: columns, at: stage.location)
        var stage = stage
        stage.kind = imported
        return stage
    }

    /// Returns the input settings for the given records.
    ///
    /// - Parameter columns: the columns that a table must have; `nil` if the input is not a table.
    private func read(
        _ read: ReadSpec, _ records: [TestValue], _ name: String, columns: [String]? = nil,
        at place: SourceLocation
    ) throws -> ReadSpec {
        let isTable = columns != nil
        let path = PathText.join(folder, name + (isTable ? ".csv" : ".ndjson"))
        let lines = columns.map { Self.table(records, $0) } ?? records.map(\.json)
        try WholeFile.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
        var read = read
        read.takePlain([TemplateText(literal: path, at: place)])
        read.generated = nil
        read.format = isTable ? .csv : .ndjson
        read.hasHeader = true
        read.columns = nil
        read.delimiter = nil
        read.comment = nil
        read.escape = nil
        read.dropsTrailingDelimiter = false
        read.quote = UInt8(ascii: "\"")
        if isTable, !read.nulls.contains("") { read.nulls.append("") }
        // A column that nothing maps need not be in the table.
        read.columnNulls = read.columnNulls.filter { columns?.contains($0.column) == true }
        return read
    }

    /// Returns records as the lines of a table, with the given columns and a column for each
    /// further member name.
    private static func table(_ records: [TestValue], _ columns: [String]) -> [String] {
        let rows = records.map { record -> [TestMember] in
            guard case .object(let members) = record else { return [] }
            return members
        }
        var names = columns
        for member in rows.joined() where !names.contains(member.name) {
            names.append(member.name)
        }
        return [names.map { TestValue.text($0).field }.joined(separator: ",")]
            + rows.map { row in
                names.map { name in row.first { $0.name == name }?.value.field ?? "" }
                    .joined(separator: ",")
            }
    }

    private func rejects(
        of stage: Stage, _ container: PersistentContainer
    ) throws -> [(stage: String, reason: RejectReason)] {
        let folder = PathText.join(
            DryRun.rejectsFolder(for: container.path), "\(spec.name)-\(Self.runID)")
        // Without rejects, the folder does not exist.
        let names = (try? FileSystem.textNames(in: folder)) ?? []
        return try names.sorted().filter {
            $0.hasPrefix(stage.name + ".") && $0.hasSuffix(RejectFile.reasonsSuffix)
        }.flatMap { name in
            try RejectReason.read(FileName(folder).joining(FileName(name))).map { (stage.name, $0) }
        }
    }
}

extension ImportSpec {
    /// The columns that a table must have because `set` or `link` names them.
    fileprivate var columnNames: [String] {
        var names: [String] = []
        func add(_ field: FieldMapping) {
            guard field.expression == nil, !names.contains(field.source.text) else { return }
            names.append(field.source.text)
        }
        for mapping in set {
            if case .field(let field) = mapping.origin { add(field) }
        }
        for field in link.flatMap(\.by).flatMap(\.fields) { add(field) }
        return names
    }
}
