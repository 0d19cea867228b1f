import Diagnostics
import GraphStore
import RecordStreams

/// The records of an import in the order of their objects' rows, where their own order is none.
extension ImportWriter {
    /// A section of fewer records than so many saves is not worth its while.
    private static let savesMin = 4

    /// How many records the next section is to have, where many are still to come in no order; nil
    /// where there is to be none.
    func nextSection(_ bytesRead: Int) -> Int? {
        // Before, nobody knows what order they have.
        guard mayStage, recordsHere >= 1000, !writer.isInRowOrder,
            // New ones are in order by themselves.
            writer.tally.inserted <= progress.counts.read / 2,
            let left = recordsLeft(bytesRead), left >= savesMin, writer.mayReorder(records: left)
        else { return nil }
        // The closer together a section's rows stand in the table, the less is read and written for
        // each; but all of it is on the disk once more, and read again after a kill.
        let share = max(1, Double(writer.largestKey) / 2)
        let parts = max(1, (Double(left) / share).rounded())
        // The last one is not to be a small rest.
        return max(savesMin, Int(Double(left) / parts * 1.1))
    }

    private var savesMin: Int {
        let (count, isTooLarge) = environment.spec.budget.saveEvery
            .multipliedReportingOverflow(by: Self.savesMin)
        return isTooLarge ? .max : count
    }

    /// How many records are still to come, as those that came suggest; nil where nobody knows.
    private func recordsLeft(_ bytesRead: Int) -> Int? {
        guard inputs.streams.isEmpty, bytesTotal > 0, bytesRead > 0 else { return nil }
        let read = Double(progress.counts.read)
        let left = Int(read * max(0, Double(bytesTotal) / Double(bytesRead) - 1))
        return min(left, environment.recordsMax.map { $0 - progress.counts.read } ?? .max)
    }

    /// Begins to keep records aside; all is saved.
    ///
    /// - Parameter count: how many there are to be.
    mutating func beginSection(of count: Int) throws {
        guard try writer.beginMap() else { return }
        section = StagedSection(
            plan, from: progress.position, lastRow: writer.largestKey, recordsMax: count,
            in: spillFile, environment.spec.budget)
    }

    /// Goes on with a section that an earlier attempt has not written to its end.
    mutating func resumeSection(_ note: SectionNote) throws {
        guard writer.mayReorder(records: .max), try writer.beginMap() else {
            throw CannotResume("there is no room for the keys of all objects any more")
        }
        // Others may write while it is read again.
        try context.save()
        section = StagedSection(
            plan, again: note, from: progress.position, in: spillFile,
            environment.spec.budget)
    }

    /// Writes what is kept aside, and saves.
    ///
    /// - Throws: `Interrupted`, or `RunFailure` (65) where too much is refused; each after a save. The
    ///   next run goes on there.
    mutating func endSection() throws {
        guard let section else { return }
        self.section = nil
        defer { recordsAside = 0 }
        guard !section.isReadAgain else {
            throw CannotResume("there is less to be read again than there was")
        }
        if section.hasFailed || section.isMostlyNew { mayStage = false }
        let end = progress.position
        let total = ProgressLine.count(Double(section.rowCount))
        recordsAside = section.rowCount
        var written = 0
        // Whoever has read records again for long writes for as long, or there would be as many
        // attempts as saves.
        let now = ContinuousClock.now
        let mayStopAt = section.earlier == nil ? now : now + (now - started)
        do {
            try section.forEachBatch { rows in
                try write(rows)
                written += rows.count
                let count = ProgressLine.count(Double(written))
                environment.progress.enter(phase: "sorted: \(count) of \(total) rows written")
                guard unsaved.isEnough(environment.spec.budget) || rejectFailure != nil else {
                    return
                }
                let failure = rejectFailure
                if failure != nil, progress.stop == nil { progress.countAbortFromHere() }
                try save(section.note(end: end), from: section.start)
                if let failure { throw failure }
                try environment.interruption.check(
                    ignoringTimeLimit: ContinuousClock.now < mayStopAt)
            }
        } catch  where error is Interrupted || (error as? RunFailure)?.status == .dataError {
            progress.position = section.start
            throw error
        }
        environment.progress.enter(phase: "")
        try save()
    }

    /// Leaves what an earlier attempt kept aside to the next one, since not all of it is there again.
    mutating func leaveSection(_ section: StagedSection) {
        self.section = nil
        progress.position = section.start
    }

    /// Writes a save's worth of what is kept aside, since the run is to stop: what each attempt gets
    /// done must not be read for nothing by the next one.
    mutating func stopSection() throws {
        guard let section else { return }
        guard !section.isReadAgain else { return leaveSection(section) }
        do {
            try endSection()
        } catch is Interrupted {}
    }

    private mutating func write(_ rows: StagedRows) throws {
        let idleBefore = writer.idleRecords
        // Nothing waits, so that a place in the batch is enough to tell a row.
        try writer.apply(rows.batch, firstToken: 0, likelyRows: rows.numbers)
        recordsAside -= rows.count
        unsaved.add(
            records: rows.count, bytes: rows.byteCount, idle: writer.idleRecords - idleBefore)
        if let share = writer.takeCacheShare() { unsaved.noteLastSave(filling: share) }
        for link in writer.takeMissedLinks() {
            try keep(link) { rows.location(ofRow: Int(link.token)) }
        }
        for reject in writer.takeRejects() {
            try keep(rows.rejected(row: Int(reject.token), reject, plan), nil)
        }
    }
}
