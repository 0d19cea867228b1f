import Diagnostics
import GraphStore
import RecordStreams

/// The contents and the times of an import's saves.
extension ImportWriter {
    /// Saves while the input is idle, so that other processes can write.
    ///
    /// It does not save if index builds are deferred, because another process could then violate
    /// uniqueness.
    mutating func saveAtPause() throws {
        if environment.decoding.savesAtPause, context.hasChanges, !writer.hasDeferredIndexes {
            try save()
        }
    }

    /// Makes the rejects durable, then saves the rows together with the note of their positions.
    ///
    /// - Parameters:
    ///   - section: The written part of a section that is not complete.
    ///   - start: The position from which that section must be read again.
    mutating func save(
        _ section: SectionNote? = nil, from start: InputPosition? = nil
    ) throws {
        try writer.flush()
        try context.takeBackUnchangedRows(writer)
        try rejects.synchronize()
        progress.rejects = rejects.notes
        progress.links = rejects.linkNotes
        progress.section = section
        try writer.noteState()
        var note = progress
        let schema = environment.container.schema
        note.objects.add(
            try context.finalChange(), keysBefore: environment.journal.run.keysBefore, schema)
        note.secondsElapsed += started.secondsToNow
        if section != nil { note.position = start }
        try environment.journal.note(
            note, finished: section == nil ? finished : [], in: context)
        progress.objects.add(
            try context.save().change, keysBefore: environment.journal.run.keysBefore, schema)
        if section == nil { finished.removeAll() }
        unsaved.noteSave()
        environment.ledger.note(stage, reportSoFar(progress.objects))
    }

    /// Saves the stage's work after it was stopped for a reason other than its data.
    mutating func saveInterrupted(_ lanes: ImportLanes) throws {
        lanes.cancel()
        try stopSection()
        if context.hasChanges { try save() }
        try rejects.close()
    }

    /// Saves the stage's work after a failure, with the position at which the next run resumes.
    mutating func saveStopped() throws {
        if let section {
            do {
                if section.isReadAgain { leaveSection(section) } else { try endSection() }
            } catch let failure as RunFailure where failure.status == .dataError {
                // Ignored, because the stage has already failed.
            }
        }
        // In the next run, `rejects.abort` counts only new rejects, so that the run can continue.
        if progress.stop == nil { progress.countAbortFromHere() }
        // `stopSection` or `endSection` has already saved the written part of the section.
        if progress.section == nil { try save() }
        try rejects.close()
    }

    /// Writes the deferred rows, or rejects them.
    mutating func resolveDeferred() throws {
        try endSection()
        // There may be as many rejects as records, so process them in portions to limit memory.
        while try writer.resolveSome() { try keepRejectsOfDeferred() }
        try writer.finish()
        try keepRejectsOfDeferred()
        // Remove the notes now, so that after a failure the next attempt does not write these rows
        // again.
        try context.removeProgressNotes(BulkWriter.deferredKinds + [DeferredRecords.kind])
    }

    private mutating func keepRejectsOfDeferred() throws {
        let deferredRecords = deferredRecords
        for link in writer.takeMissedLinks() {
            try keep(link) { try deferredRecords.record(link.token, at: nil).location }
        }
        for reject in writer.takeRejects() {
            let record = try deferredRecords.record(reject.token, at: reject.property)
            try keep(record.rejected(reject, plan), nil)
        }
    }

    /// Checks the result, then saves the rest together with the note that the stage is done.
    mutating func finish() throws -> StageReport {
        try writer.flush()
        try checkInput()
        try mirror()
        try context.takeBackUnchangedRows(writer)
        try rejects.synchronize()
        let report = try report()
        guard
            progress.counts.rejected
                <= environment.spec.rejects.allow.allowed(of: progress.counts.read)
        else {
            // All records are read. The next run repeats the check.
            try saveStopped()
            throw tooManyRejects(environment.spec.rejects.allow, key: "allow")
        }
        let appends =
            spec.whenFound == .append && report.hasChangedObjects && mayRememberInputs
        if appends { try warnOfInputsReadBefore() }
        if spec.read.isOnce || appends { try rememberInputs(appended: appends) }
        // Close the files before writing the note; after that, no run reads or writes them again.
        try rejects.close()
        try environment.journal.finish(stage, report, inputs: imported, in: context)
        // With a limit, the import ends before the end of its inputs.
        if environment.recordsMax != nil, resumes, !spec.isRepeatable,
            let position = progress.position, !position.isStream
        {
            progress.left.append(position)
        }
        if !progress.left.isEmpty {
            try environment.journal.note(
                progress.keeping(progress.left), finished: [], in: context)
        }
        try context.save()
        return report
    }

    /// Deletes the objects that no record names, if the stage has `mirror` and everything was read.
    private mutating func mirror() throws {
        guard let mirror = spec.mirror, environment.recordsMax == nil, !spec.read.isOnce else {
            return
        }
        do {
            mirrored = try MirrorDeletion(mirror, entity: spec.into.text, of: stage, environment)
                .run(after: writer, progress.counts, grown: grown, in: context)
            if let mirrored { environment.warn(of: mirrored, spec.into.text, in: stage) }
        } catch let failure as RunFailure {
            // The records are valid, so keep them.
            try saveStopped()
            throw failure
        }
    }
}
