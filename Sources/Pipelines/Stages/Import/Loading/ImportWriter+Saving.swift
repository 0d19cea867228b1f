import Diagnostics
import GraphStore
import RecordStreams

/// What an import saves, and when.
extension ImportWriter {
    /// Saves what has come when nothing comes for now, so that others may write.
    ///
    /// Not where indexes are put off: whoever wrote beside it would find none that keeps keys apart.
    mutating func saveAtPause() throws {
        if environment.decoding.savesAtPause, context.hasChanges, !writer.hasPutOff {
            try save()
        }
    }

    /// Makes the rejects durable, then the rows together with the note of how far they reach.
    ///
    /// - Parameters:
    ///   - section: what is written of a section, if not all of it.
    ///   - start: where that one is to be read again from.
    mutating func save(
        _ section: SectionNote? = nil, from start: InputPosition? = nil
    ) throws {
        try writer.flush()
        try context.takeBackUnchangedRows(writer)
        try rejects.synchronize()
        progress.rejects = rejects.notes
        progress.links = rejects.linkNotes
        progress.section = section
        var note = progress
        note.objects.add(try context.uncommittedChange())
        note.secondsElapsed += started.secondsToNow
        if section != nil { note.position = start }
        try writer.noteState()
        try environment.journal.note(
            note, finished: section == nil ? finished : [], in: context)
        progress.objects.add(try context.save().change)
        if section == nil { finished.removeAll() }
        unsaved.noteSave()
        environment.ledger.note(stage, reportSoFar(progress.objects))
    }

    /// Saves what the stage has done before it was stopped by something else than its data.
    mutating func saveInterrupted(_ lanes: ImportLanes) throws {
        lanes.cancel()
        try stopSection()
        if context.hasChanges { try save() }
        try rejects.close()
    }

    /// Saves what the stage has done before it failed, and the place where the next run goes on.
    mutating func saveStopped() throws {
        if let section {
            do {
                if section.isReadAgain { leaveSection(section) } else { try endSection() }
            } catch let failure as RunFailure where failure.status == .dataError {
                // The stage has failed already.
            }
        }
        // The next run goes on in spite of the rejects that it does not add.
        if progress.stop == nil { progress.countAbortFromHere() }
        // What is kept aside is noted as far as it is written.
        if progress.section == nil { try save() }
        try rejects.close()
    }

    /// Writes the rows that wait for others, or rejects them.
    mutating func settle() throws {
        try endSection()
        // There may be as many rejects as records; no more than a share is in memory.
        while try writer.settleSome() { try keepRejectsOfParked() }
        try writer.finish()
        try keepRejectsOfParked()
        // A failure behind this must not let the next attempt write them again.
        try context.removeProgressNotes(BulkWriter.waitingKinds + [ParkedRecords.kind])
    }

    private mutating func keepRejectsOfParked() throws {
        let parked = parked
        for link in writer.takeMissedLinks() {
            try keep(link) { try parked.record(link.token)?.location }
        }
        for reject in writer.takeRejects() {
            guard let record = try parked.record(reject.token) else { continue }
            try keep(record.rejected(reject, plan), nil)
        }
    }

    /// Saves the rest together with the note that the stage is done, if it is as it should be.
    mutating func finish() throws -> StageReport {
        try writer.flush()
        try judgeInput()
        try mirror()
        try context.takeBackUnchangedRows(writer)
        try rejects.synchronize()
        let report = try report()
        guard
            progress.counts.rejected
                <= environment.spec.rejects.allow.allowed(of: progress.counts.read)
        else {
            // All is read. The next run judges it again.
            try saveStopped()
            throw tooManyRejects(environment.spec.rejects.allow, key: "allow")
        }
        let appends =
            spec.whenFound == .append && report.hasChangedObjects && mayRememberInputs
        if appends { try warnOfInputsReadBefore() }
        if spec.read.isOnce || appends { try rememberInputs(appended: appends) }
        // The files' last lines come before the note, after which nobody looks at them again.
        try rejects.close()
        try environment.journal.finish(stage, report, inputs: imported, in: context)
        // A limit ends the import before its inputs.
        if environment.recordsMax != nil, goesOn, !spec.isRepeatable,
            let position = progress.position, !position.isStream
        {
            progress.left.append(position)
        }
        if !progress.left.isEmpty {
            try environment.journal.note(
                progress.setAside(progress.left), finished: [], in: context)
        }
        try context.save()
        return report
    }

    /// Deletes what no record names, where the stage says so and everything was read.
    private mutating func mirror() throws {
        guard let mirror = spec.mirror, environment.recordsMax == nil, !spec.read.isOnce else {
            return
        }
        do {
            let result = try MirrorDeletion(mirror, entity: spec.into.text, environment)
                .run(after: writer, progress.counts, grown: grown, in: context)
            environment.warn(of: result, spec.into.text, in: stage)
            mirrored = result
        } catch let failure as RunFailure {
            // The records themselves are good and stay.
            try saveStopped()
            throw failure
        }
    }
}
