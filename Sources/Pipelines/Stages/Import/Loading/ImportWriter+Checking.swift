import Diagnostics
import Files
import GraphStore
import RecordStreams

/// The checks of an import's inputs against the spec after everything is read.
extension ImportWriter {
    /// Fails if there are too few records, or if required fields are missing.
    ///
    /// If nothing was saved before, nothing is saved. Otherwise, the next run repeats the check
    /// without reading anything again.
    mutating func checkInput() throws {
        guard environment.recordsMax == nil, environment.checksInputs else { return }
        let read = progress.counts.read
        // With `once`, a run without new files has nothing to read.
        let isIdle = spec.read.isOnce && inputs.files.isEmpty && read == 0
        guard read >= spec.read.recordsMin || isIdle else {
            try stopChecked()
            throw RunFailure(
                .noInput, code: "input.too-few-records",
                "'\(stage.name)' has read \(ReportNumbers.several(read, "record")), and "
                    + "`read.min-records` is \(spec.read.recordsMin.grouped)",
                fix: "check that the inputs are complete, or lower `read.min-records`")
        }
        warnOfDuplicateKeys()
        warnOfArchives()
        var problems = unmetPaths
        guard spec.unmet == .stop, !problems.isEmpty else {
            return spec.unmet == .ignore ? () : problems.forEach(environment.warn)
        }
        for place in problems.indices { problems[place].severity = .error }
        let rejected = rejects.firstOfEachCode
        try stopChecked()
        throw RunFailure(.dataError, rejected + problems)
    }

    private mutating func stopChecked() throws {
        let saved = environment.journal.point(of: stage)
        if saved?.isEmpty == false { try saveStopped() }
    }

    /// Warns about records in which an object repeats a key, because a value was lost without a
    /// reject.
    private func warnOfDuplicateKeys() {
        guard let found = progress.facts?.duplicateKeys else { return }
        let count = ReportNumbers.several(found.records, "record")
        environment.warn(
            Diagnostic(
                .warning, code: "import.duplicate-keys",
                "\(count) \(found.records == 1 ? "has" : "have") a key twice in one object, first"
                    + " here; the last value counts",
                at: .record(found.location),
                fix: "correct the file, or reject these records with `on: { duplicate-key: reject "
                    + "}` in a spec"))
    }

    /// Warns about fields with values that only an app can write, because they are not imported.
    private func warnOfArchives() {
        guard environment.container.origin.isApp, let facts = progress.facts else { return }
        for attribute in environment.container.model.attributes(of: spec.into.text)
        where attribute.isArchive {
            guard let field = facts.extraFields.first(where: { $0.name == attribute.name })
            else { continue }
            environment.warn(
                Diagnostic(
                    .warning, code: "import.archive",
                    ReportNumbers.several(field.records, "record") + " "
                        + (field.records == 1 ? "has" : "have") + " '\(attribute.name)', which was"
                        + " not imported: '\(spec.into.text).\(attribute.name)' holds archives of"
                        + " the app's own objects, which only the app can write",
                    stage: stage.reportLocation,
                    fix: "leave the field out of the records; objects that exist keep their value"
                ))
        }
    }

    /// The warnings about paths in the spec that no record had, and that may be misspelled.
    private var unmetPaths: [Diagnostic] {
        let names = progress.facts?.extraFields.map(\.name) ?? []
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

    /// Whether inputs are recorded in the store.
    ///
    /// They are not if the store is replaced, because it is intended for distribution, or if it
    /// belongs to an app.
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

    /// Returns whether the input was generated; generated records may be equal intentionally.
    private func isGenerated(_ input: InputNote) -> Bool {
        inputs.files.contains { $0.path == input.path && $0.generatedRows != nil }
    }

    /// Warns about inputs whose records an earlier run has appended, so that the store now has them
    /// twice.
    ///
    /// A recorded stage that is no longer in the spec is assumed to be this stage under its old
    /// name. Another stage of the spec may read the same input for other objects.
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
                "An earlier run has appended the same \(ReportNumbers.several(input.records, "record"))"
                    + " of \(InputFile.name(of: input.path))\(origin)",
                at: .source(spec.location), fix: fix))
    }
}
