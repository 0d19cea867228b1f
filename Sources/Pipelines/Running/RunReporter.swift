import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import RecordStreams

/// Creates the report of a finished run, and writes it to the files that the spec names.
struct RunReporter {
    private static let messagesMax = 100

    let run: PipelineRun
    /// The path of the spec, as given.
    let file: String
    let warnings: [Diagnostic]
    let secondsElapsed: Double

    /// Writes the report, and adds errors to the outcome.
    ///
    /// Three kinds of runs have no report: a run that could not lock the store, a run with a usage
    /// error, and a dry run. The run that holds the lock writes a separate report.
    ///
    /// - Returns: The path of the report; `nil` without a report.
    func finish(_ outcome: inout RunOutcome) -> String? {
        guard !run.options.isDry, run.mayBegin, outcome.status != .usage,
            let (spec, values) = subject
        else { return nil }
        var written: String?
        let targets = ReportTargets(spec, values, run.options)
        let report = report(outcome, spec, values)
        var problems: [Diagnostic] = []
        var status = ExitStatus.cannotCreate
        func note(_ failure: RunFailure) {
            problems += failure.diagnostics
            if [.resources, .inputOutput].contains(failure.fault.kind) { status = failure.status }
        }
        do {
            written = try writeToFolder(report, spec, values)
        } catch {
            let found = RunFailure(error)
            if spec.report.isFolderNamed {
                note(found)
            } else {
                found.diagnostics.forEach { run.runner.warn($0.asWarning) }
            }
        }
        let others = [{ try writeMetrics(report, targets) }, { try writeCopy(report, targets) }]
        for write in others {
            do {
                try write()
            } catch {
                note(RunFailure(error))
            }
        }
        // Report an unwritable file only once.
        let told = Set(outcome.diagnostics)
        problems = problems.filter { !told.contains($0) }
        guard !problems.isEmpty else { return written }
        outcome.diagnostics += problems
        if outcome.status == .ok { outcome.status = status }
        return written
    }

    /// Writes the report of a run that is almost finished; errors are reported by `finish(_:)`.
    func writeEarly(_ outcome: RunOutcome) {
        guard let (spec, values) = subject else { return }
        let folder = ReportFolder(path: values.path(spec.report.folder), pipeline: spec.name)
        let report = report(outcome, spec, values)
        // `finish(_:)` writes the report again, and reports errors.
        try? Self.prepare(folder.path)
        try? Self.write(Self.data(report), to: folder.dataPath(report.name))
    }

    /// The spec and its parameters; after a failure, with the values that were known by then.
    private var subject: (PipelineSpec, ParameterValues)? {
        if let spec = run.spec, let values = run.values { return (spec, values) }
        guard let spec = run.spec ?? SpecificationFile.read(file: file).spec else { return nil }
        let values = ParameterValues.partial(
            spec, run.runner.context(now: run.options.now, runID: run.runID))
        let paths = [spec.report.folder, spec.report.metrics].compactMap(\.self)
        // A rejected URL is not a folder.
        let areKnown = paths.allSatisfy { path in
            values.canResolve(path)
                && URLCheck.scheme(of: values.resolve(path), in: values.specFolder) == nil
        }
        return areKnown ? (spec, values) : nil
    }
}

extension Diagnostic {
    fileprivate var asWarning: Diagnostic {
        var copy = self
        copy.severity = .warning
        return copy
    }
}

// MARK: Destinations

extension RunReporter {
    private static func data(_ report: RunReport) -> [UInt8] {
        Array(report.json.formatted.utf8)
    }

    /// Writes the report, as JSON and HTML, to the folder of the reports, and returns the path of
    /// the JSON file.
    private func writeToFolder(
        _ report: RunReport, _ spec: PipelineSpec, _ values: ParameterValues
    ) throws -> String {
        let folder = ReportFolder(path: values.path(spec.report.folder), pipeline: spec.name)
        try Self.prepare(folder.path)
        try Self.write(Self.data(report), to: folder.dataPath(report.name))
        let page = ReportPage.text(of: report, in: FileDescriptor.resolved(folder.path))
        try Self.write(Array(page.utf8), to: folder.pagePath(report.name))
        folder.rotate(keeping: spec.report.keep, with: report.name).forEach(run.runner.warn)
        do {
            let index = RunIndex(folder.path)
            guard !index.isTaken else {
                throw RunFailure(
                    .cannotCreate, code: "report.index",
                    "\(index.path) is not etl's list of runs, so it is kept and no list is written",
                    fix: "rename it, or set another `report.to`")
            }
            try Self.write(index.page(with: report), to: index.path)
        } catch {
            // The reports exist; the next run writes the index again.
            RunFailure(error).diagnostics.forEach { run.runner.warn($0.asWarning) }
        }
        let path = folder.dataPath(report.name)
        return FileDescriptor.resolved(path) ?? PathText.join(run.options.workingFolder, path)
    }

    /// Creates the folder of the reports if it does not exist.
    ///
    /// - Throws: `RunFailure` with status 73 if the folder cannot be created.
    static func prepare(_ folder: String) throws {
        do {
            try OutputFolder.make(folder)
        } catch {
            throw RunFailure(
                .cannotCreate, code: "report.folder",
                "The folder \(folder) of the reports cannot be created",
                fix: "check its permissions, or set `report.to`")
        }
    }

    private func writeMetrics(_ report: RunReport, _ targets: ReportTargets) throws {
        guard let path = targets.metrics else { return }
        // A run that failed before it checked its files also writes a report.
        if let problem = targets.metricsProblem { throw problem }
        let earlier = FileDescriptor.size(path).flatMap { _ in
            // An unreadable file is replaced.
            (try? FileSystem.contents(path)).flatMap { String(validating: $0, as: UTF8.self) }
        }
        try OutputFolder.make(for: path)
        try Self.write(Array(MetricsText.text(of: report, after: earlier).utf8), to: path)
    }

    /// Writes the file of `--report`.
    private func writeCopy(_ report: RunReport, _ targets: ReportTargets) throws {
        guard let path = targets.copy else { return }
        if let problem = targets.copyProblem { throw problem }
        if let problem = targets.copyFolderProblem { throw RunFailure(.cannotCreate, [problem]) }
        try Self.write(Self.data(report), to: path)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            try WholeFile.write(bytes, to: path)
        } catch {
            let failure = RunFailure(error)
            let reason = failure.diagnostics.first?.message ?? "\(error)"
            throw RunFailure(
                [.resources, .inputOutput].contains(failure.fault.kind)
                    ? failure.fault : .cannotCreate,
                code: "report.file",
                "The report \(path) cannot be written: \(reason)",
                fix: "check the folder, its permissions, and the free disk space")
        }
    }
}

// MARK: Contents

extension RunReporter {
    private func report(
        _ outcome: RunOutcome, _ spec: PipelineSpec, _ values: ParameterValues
    ) -> RunReport {
        let now = run.options.now.timeIntervalSinceReferenceDate
        let stages = spec.stages.map { stage($0, outcome) }
        let path = values.canResolve(spec.store.at) ? values.path(spec.store.at) : nil
        let attempt = RunName.of(now)
        return RunReport(
            version: Release.version, pipeline: spec.name, run: run.runID,
            spec: FileDescriptor.resolved(file) ?? file,
            replay: run.options.replay?.folder, selection: selection,
            started: ScalarText.isoDate(run.started),
            ended: ScalarText.isoDate((now + secondsElapsed).inMilliseconds),
            secondsElapsed: secondsElapsed.inMilliseconds, attempts: outcome.attempts,
            attempt: outcome.attempts > 1 && attempt != run.runID ? attempt : nil,
            exit: RunReport.Exit(
                code: outcome.status.rawValue, name: outcome.status.name,
                meaning: outcome.status.meaning),
            parameters: spec.parameters.compactMap { parameter in
                values.values[parameter.name].map {
                    RunReport.Parameter(
                        name: parameter.name, type: parameter.kind.rawValue,
                        value: $0.description)
                }
            },
            store: path.map {
                RunReport.Store(
                    path: absolute(FileName($0)).displayText, model: run.modelDigest,
                    bytes: FileDescriptor.size($0))
            },
            stages: stages, objects: RunReport.total(stages.flatMap(\.objects)),
            messages: messages(outcome), memoryPeak: ProcessMemory.peak,
            samples: run.runner.progress.finishSamples())
    }

    private var selection: RunReport.Selection? {
        let options = run.options
        guard options.only != nil || options.from != nil || options.recordsMax != nil else {
            return nil
        }
        return RunReport.Selection(
            only: options.only, from: options.from, limit: options.recordsMax)
    }

    private func messages(_ outcome: RunOutcome) -> [RunReport.Message] {
        (warnings + outcome.diagnostics).prefix(Self.messagesMax).map {
            RunReport.Message(
                severity: $0.severity.rawValue, code: $0.code,
                text: DiagnosticRenderer.text($0))
        }
    }

    private func stage(_ stage: Stage, _ outcome: RunOutcome) -> RunReport.Stage {
        let entry = run.ledger.entry(of: stage)
        var result = RunReport.Stage(
            name: stage.name, kind: stage.kind.word, state: entry?.state ?? .skipped)
        result.entity = stage.kind.entityName
        guard let entry else { return result }
        result.inputs = entry.inputs.map { input in
            RunReport.Input(
                file: absolute(input.path).displayText, bytes: input.byteCount,
                sha256: input.digest.hexText, records: input.records)
        }
        if let report = outcome.stages.first(where: { $0.name == stage.name }) ?? entry.report {
            result.fill(report, absolute)
        }
        return result
    }

    /// Returns the absolute path.
    private func absolute(_ path: FileName) -> FileName {
        path == InputFile.standardInput.path || InputName.isCommand(path)
            ? path
            : FileSystem.resolved(path)
                ?? FileName(run.options.workingFolder).joining(path)
    }
}

extension RunReport.Stage {
    fileprivate mutating func fill(
        _ report: StageReport, _ absolute: (FileName) -> FileName
    ) {
        secondsElapsed = report.secondsElapsed.inMilliseconds
        indexSeconds = report.indexSeconds?.inMilliseconds
        records = report.records
        extraFields = report.extraFields
        unfilledAttributes = report.unfilledAttributes
        missedLinks = report.missedLinks
        linksFolder = report.linksFolder.map { absolute(FileName($0)).displayText }
        rejects = report.rejects?.codes ?? []
        rejectsFolder = report.rejectsFolder.map { absolute(FileName($0)).displayText }
        objects = report.objects
        nested = report.nested
        matched = report.matched
        changed = report.changed
        mirrored = report.mirrored
        denied = report.denied > 0 ? report.denied : nil
        deniedBy = report.deniedBy
        cascaded = report.cascaded.isEmpty ? nil : report.cascaded
        nullified = report.nullified > 0 ? report.nullified : nil
        verified = report.verified
        output = report.exported.map {
            RunReport.Output(
                file: absolute(FileName($0.path)).displayText, rows: $0.rows, bytes: $0.bytes,
                missingFiles: $0.missingFiles)
        }
        let rows = report.records?.read ?? report.exported?.rows
        if let rows, report.secondsElapsed > 0 {
            rowsPerSecond = (Double(rows) / report.secondsElapsed).rounded()
        }
    }
}

extension RunReporter {
    /// Returns the command of `on-failure` if the spec has one and the outcome requires it.
    ///
    /// - Parameter report: the path of the report, if one was written.
    func failureCommand(_ outcome: RunOutcome, report: String?) -> FailureCommand? {
        guard outcome.status != .ok, !run.options.isDry, run.options.allowsCommands,
            let spec = run.spec ?? SpecificationFile.read(file: file).spec,
            let command = spec.onFailure, CommandCheck.secrets(in: command, of: spec).isEmpty
        else { return nil }
        let values =
            run.values
            ?? .partial(spec, run.runner.context(now: run.options.now, runID: run.runID))
        let texts = command.words + command.variables.map(\.value)
        guard texts.allSatisfy(values.canResolve) else {
            run.runner.warn(
                Diagnostic(
                    .warning, code: FailureCommand.problemCode,
                    "The command of `on-failure` was not started, since a parameter in it has no "
                        + "value", at: .source(command.location),
                    fix: "pass --set name=value, or give the parameter a default"))
            return nil
        }
        return FailureCommand(values.command(command), report: report, outcome.status)
    }
}
