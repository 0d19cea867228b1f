import Diagnostics
import GraphStore
import RecordStreams

/// The reports of an import.
extension ImportWriter {
    /// Returns the report of the complete stage, in which every record has an outcome.
    func report() throws -> StageReport {
        var objects = progress.objects
        objects.add(
            try context.finalChange(), keysBefore: environment.journal.run.keysBefore,
            environment.container.schema)
        var report = reportSoFar(objects)
        if let miscount = environment.miscount { report.records = report.records.map(miscount) }
        guard let counts = report.records else { return report }
        guard counts.isConserved else {
            throw RunFailure(
                .software, code: "internal.conservation",
                "Of \(progress.counts.read) records, some were not counted or counted twice: "
                    + "\(counts)",
                fix: "please report this with the spec and the run's report")
        }
        return report
    }

    /// Checks that the records that the notes of an earlier attempt count without a result are
    /// deferred or buffered.
    ///
    /// - Throws: `RunFailure` (65) if not: the notes are damaged.
    func requireCounts(of note: ResumePoint) throws(RunFailure) {
        guard let counts = reportSoFar(note.objects).records else { return }
        let waiting = counts.waiting ?? 0
        let deferred = writer.deferredCount
        guard counts.isConserved || waiting > 0,
            (deferred...(deferred + (note.section?.records ?? 0))).contains(waiting)
        else { throw .damagedNotes }
    }

    /// Returns the outcomes of the records so far, including deferred records.
    func reportSoFar(_ objects: ObjectTally) -> StageReport {
        var counts = progress.counts
        let tally = writer.tally
        counts.inserted = tally.inserted
        counts.updated = tally.updated
        counts.unchanged = tally.unchanged
        counts.skipped = tally.skipped
        counts.superseded = tally.superseded
        counts.createdTargets = tally.createdTargets
        counts.supersededItems = tally.supersededItems
        if spec.onlyLinks(by: plan.bulk.key) { counts.noteLinked() }
        counts.noteDeferred()
        var report = StageReport(kind: stage.kind.word, name: stage.name)
        report.records = counts
        report.rejects = progress.rejectTally
        report.extraFields = progress.facts?.extraFields ?? []
        report.unfilledAttributes = progress.facts?.unfilled
        report.missedLinks = progress.missedLinks
        report.mirrored = mirrored?.deleted
        if let mirrored { report.noteDenied(mirrored) }
        report.objects = objects.report(environment.container.schema)
        report.noteNested(plan.bulk.nestedEntities, besides: spec.into.text)
        report.secondsElapsed = progress.secondsElapsed + started.secondsToNow
        if counts.rejected > 0, !environment.isDry { report.rejectsFolder = rejects.finalFolder }
        if reportedLinks.contains(where: { name in
            progress.missedLinks?.contains { $0.relationship == name } == true
        }), !environment.isDry {
            report.linksFolder = rejects.finalFolder
        }
        return report
    }

    /// The position at which the next run resumes.
    var resumesAt: String? {
        let section = progress.section.map { "; \($0.text)" }
        let place =
            progress.position.map { position in
                "record \((position.record + 1).grouped) of "
                    + (inputs.files.first { $0.path == position.path }?.name ?? position.name)
                    + (section ?? "")
            } ?? section.map { "the beginning of an input" + $0 }
        let streams = inputs.streams.map(\.name).joined(separator: ", ")
        guard !streams.isEmpty, place != nil || !imported.isEmpty else { return place }
        guard !spec.isRepeatable || inputs.stream(among: imported, progress.position) == nil else {
            return "the beginning of \(streams), which must be sent again"
        }
        return (place ?? "the next record")
            + "; \(streams) must be given from the beginning"
    }
}
