import Diagnostics
import Files
import GraphStore
import RecordStreams

/// Whether the inputs of an import are what the spec reckons with, once all is read.
extension ImportWriter {
    /// Ends the stage where there are too few records, or where fields are missing that it needs.
    ///
    /// If nothing is saved yet, nothing is. Otherwise the next run judges the same anew, and reads
    /// nothing again.
    mutating func judgeInput() throws {
        guard environment.recordsMax == nil, environment.judgesInputs else { return }
        let read = progress.counts.read
        guard read >= spec.read.recordsMin else {
            try stopJudged()
            throw RunFailure(
                .noInput, code: "input.too-few-records",
                "'\(stage.name)' has read \(ReportWords.several(read, "record")), and "
                    + "`read.min-records` is \(RecordCounts.grouped(spec.read.recordsMin))",
                fix: "see whether the inputs are whole, or lower `read.min-records`")
        }
        warnOfDuplicateKeys()
        var problems = unmetPaths
        guard spec.unmet == .stop, !problems.isEmpty else {
            return spec.unmet == .ignore ? () : problems.forEach(environment.warn)
        }
        for place in problems.indices { problems[place].severity = .error }
        let rejected = rejects.firstOfEachCode
        try stopJudged()
        throw RunFailure(.dataError, rejected + problems)
    }

    private mutating func stopJudged() throws {
        let saved = environment.journal.point(of: stage)
        if saved?.isEmpty == false { try saveStopped() }
    }

    /// A value was lost without a reject.
    private func warnOfDuplicateKeys() {
        guard let found = summary.duplicateKeys else { return }
        let count = ReportWords.several(found.records, "record")
        environment.warn(
            Diagnostic(
                .warning, code: "import.duplicate-keys",
                "\(count) \(found.records == 1 ? "has" : "have") a key twice in one object, first"
                    + " here; the last value counts",
                at: .record(found.first),
                fix: "correct the file, or reject such records with"
                    + " `on: { duplicate-key: reject }` in a spec"))
    }

    /// What no record had, though the spec names it: it may be misspelt.
    private var unmetPaths: [Diagnostic] {
        let names = summary.extraFields.map(\.name)
        if progress.fitsNothing == true, spec.read.generated == nil {
            return [
                Diagnostic(
                    .warning, code: "import.nothing-fits",
                    "No record of '\(stage.name)' has any field that the stage reads"
                        + (names.isEmpty ? "" : "; its records have \(Suggestion.list(names))"),
                    at: .source(spec.location),
                    fix:
                        "name the fields under `set`, or see whether `read.at` leads to the records"
                )
            ]
        }
        let isAnyKept = progress.fitsNothing != nil
        let likely = plan.likelyNames(names, besides: progress.unmet ?? [])
        return plan.unmet(progress.lacking ?? [], isAnyKept: isAnyKept).map { named in
            Diagnostic(
                .warning, code: "import.unmet-path",
                "No record has \(named.shown)" + Suggestion.phrase(for: named.name, among: likely),
                at: .source(named.text.location))
        }
    }

    // MARK: Inputs of earlier runs

    /// A store that is to be given away knows of no inputs, and an app's store of none that nobody
    /// asks for.
    var mayRememberInputs: Bool {
        environment.spec.store.open != .replace && !environment.container.origin.isApp
    }

    func rememberInputs(appended: Bool) throws {
        let pipeline = environment.spec.name
        let known = imported.map {
            KnownInput(path: paths.noted($0.path), byteCount: $0.byteCount, digest: $0.digest)
        }
        try context.remember(known, pipeline: pipeline, stage: stage.name)
        guard appended else { return }
        let read = imported.filter { $0.records > 0 && !isGenerated($0) }
        try context.remember(
            appended: read.map {
                AppendedInput(pipeline: pipeline, stage: stage.name, digest: $0.digest)
            }, to: spec.into.text)
    }

    /// Records that are made may be the same on purpose.
    private func isGenerated(_ input: InputNote) -> Bool {
        inputs.files.contains { $0.path == input.path && $0.generatedRows != nil }
    }

    /// Warns of inputs whose records an earlier run has appended, which are in the store twice now.
    ///
    /// A stage that the spec has no more is this one under its old name; another one that it has may
    /// read the same for other objects.
    func warnOfInputsReadBefore() throws {
        let pipeline = environment.spec.name
        let others = Set(environment.spec.stages.map(\.name)).subtracting([stage.name])
        var known: [AppendedInput] = try environment.container.knownInputs(pipeline: pipeline)
            .flatMap { name, inputs in
                inputs.map { AppendedInput(pipeline: pipeline, stage: name, digest: $0.digest) }
            }
        known += try environment.container.appendedInputs(entity: spec.into.text)
        known.removeAll { $0.pipeline == pipeline && others.contains($0.stage) }
        for input in imported where input.records > 0 && !isGenerated(input) {
            let same = known.filter { $0.digest == input.digest }
            let own = same.filter { $0.pipeline == pipeline }
            let earlier = own.first { $0.stage == stage.name } ?? own.first ?? same.first
            if let earlier { warn(of: input, appendedBy: earlier) }
        }
    }

    private func warn(of input: InputNote, appendedBy earlier: AppendedInput) {
        let isOther = earlier.pipeline != environment.spec.name
        let isRenamed = !isOther && earlier.stage != stage.name
        let isStream = inputs.streams.contains { $0.path == input.path }
        let once = isStream ? "give each input once" : "set `read.once: true`"
        let origin =
            isOther
            ? " in stage '\(earlier.stage)' of the pipeline '\(earlier.pipeline)'"
            : isRenamed ? " in a stage '\(earlier.stage)'" : ""
        let fix =
            isOther
            ? "let one of the two pipelines import it, or update by a `key`"
            : isRenamed && !isStream
                ? "name the stage '\(earlier.stage)' again and set `read.once: true`, or update by a `key`"
                : "\(once), or update by a `key`"
        environment.warn(
            Diagnostic(
                .warning, code: "import.read-before",
                "An earlier run has appended the same \(ReportWords.several(input.records, "record"))"
                    + " of \(InputFile.name(of: input.path))\(origin)",
                at: .source(spec.location), fix: fix))
    }
}
