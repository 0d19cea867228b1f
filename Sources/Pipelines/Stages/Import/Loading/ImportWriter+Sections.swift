import Diagnostics
import GraphStore
import RecordStreams

/// Sections: records that are written in the order of their objects' rows, because they arrive in
/// random order.
extension ImportWriter {
    /// The minimum size of a section, in saves; a smaller section is not worth the overhead.
    private static let savesMin = 4

    /// Returns the number of records for the next section, or `nil` if there must be none.
    ///
    /// A section is useful if many records are still to come in random order.
    func nextSection(_ bytesRead: Int) -> Int? {
        // The first records are needed to determine the order.
        guard mayStage, recordsHere >= 1000, !writer.isInRowOrder,
            // New objects are always in row order.
            writer.tally.inserted <= progress.counts.read / 2,
            let left = recordsLeft(bytesRead), left >= savesMin, writer.mayReorder(records: left)
        else { return nil }
        // The denser the rows of a section are in the table, the less must be read and written per
        // row. But the section is also written to a temporary file, and read again after a kill.
        let share = max(1, Double(writer.largestKey) / 2)
        let parts = max(1, (Double(left) / share).rounded())
        // Avoid a small last section.
        return max(savesMin, Int(Double(left) / parts * 1.1))
    }

    private var savesMin: Int {
        let (count, isTooLarge) = environment.spec.budget.saveEvery
            .multipliedReportingOverflow(by: Self.savesMin)
        return isTooLarge ? .max : count
    }

    /// Returns the estimated number of remaining records, or `nil` if it is unknown.
    private func recordsLeft(_ bytesRead: Int) -> Int? {
        guard inputs.streams.isEmpty, bytesTotal > 0, bytesRead > 0 else { return nil }
        let read = Double(progress.counts.read)
        let left = Int(read * max(0, Double(bytesTotal) / Double(bytesRead) - 1))
        return min(left, environment.recordsMax.map { $0 - progress.counts.read } ?? .max)
    }

    /// Starts a section when everything is saved.
    ///
    /// - Parameter count: The number of its records.
    mutating func beginSection(of count: Int) throws {
        guard try writer.beginMap() else { return }
        section = StagedSection(
            plan, from: progress.position, lastRow: writer.largestKey, recordsMax: count,
            in: spillFile, environment.spec.budget)
    }

    /// Resumes a section that an earlier attempt has not completely written.
    mutating func resumeSection(_ note: SectionNote) throws {
        guard writer.mayReorder(records: .max), try writer.beginMap() else {
            throw CannotResume("there is no more space for the keys of all objects")
        }
        // Other processes can write while the section is read again.
        try context.save()
        section = StagedSection(
            plan, again: note, from: progress.position, in: spillFile,
            environment.spec.budget)
    }

    /// Writes the records of the section, and saves.
    ///
    /// - Throws: `Interrupted`, or `RunFailure` (65) if there are too many rejects; both after a
    ///   save. The next run resumes from there.
    mutating func endSection() throws {
        guard let section else { return }
        self.section = nil
        defer { recordsBuffered = 0 }
        guard !section.isReadAgain else {
            throw CannotResume("there is less to be read again than there was")
        }
        if section.hasFailed || section.isMostlyNew { mayStage = false }
        let end = progress.position
        let total = ProgressLine.count(Double(section.rowCount))
        recordsBuffered = section.rowCount
        var written = 0
        // After reading records again, write for at least the same time. Otherwise, there could be
        // as many attempts as saves.
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

    /// Leaves a section of an earlier attempt to the next run, because it is not completely read
    /// again.
    mutating func leaveSection(_ section: StagedSection) {
        self.section = nil
        progress.position = section.start
    }

    /// Writes at least one save of the section when the run must stop, so that each attempt makes
    /// progress.
    mutating func stopSection() throws {
        guard let section else { return }
        guard !section.isReadAgain else { return leaveSection(section) }
        do {
            try endSection()
        } catch is Interrupted {}
    }

    private mutating func write(_ rows: StagedRows) throws {
        let idleBefore = writer.idleRecords
        // No row is deferred, so the index in the batch identifies a row.
        try writer.apply(rows.batch, firstToken: 0, likelyRows: rows.numbers)
        recordsBuffered -= rows.count
        unsaved.add(
            records: rows.count, bytes: rows.byteCount, idle: writer.idleRecords - idleBefore)
        if let share = writer.takeCacheFraction() { unsaved.noteLastSave(filling: share) }
        for link in writer.takeMissedLinks() {
            try keep(link) { rows.location(ofRow: Int(link.token)) }
        }
        for reject in writer.takeRejects() {
            try keep(rows.rejected(row: Int(reject.token), reject, plan), nil)
        }
    }
}
