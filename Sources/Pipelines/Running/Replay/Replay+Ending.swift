import Diagnostics
import Files
import FoundationEssentials

/// The end of a replay: the records that were rejected again replace the records that were read.
extension Replay {
    /// One step of a replay's plan: renames `from` to `to`, or removes `to` if `from` is `nil`.
    private struct Move: Decodable, JSONWritable {
        var from: FileName?
        var to: FileName

        var json: JSONTree { .fields(["from": from, "to": to]) }
    }

    /// Facts about the records that a replay has read, by which new reasons get their old
    /// positions.
    private struct ReplayedRecords {
        /// The number of reasons in each reject file.
        var counts: [FileName: Int]
        /// The stages whose records can be identified by number, because none was added or removed.
        var stages: Set<String>
    }

    /// Replaces the replayed records with the records that were rejected again, after all data is
    /// saved.
    func drain(_ reports: [StageReport], runID: String, pipeline: String) throws {
        let refused = PathText.join(PathText.join(work, "rejects"), "\(pipeline)-\(runID)")
        var moves: [Move] = []
        var drained = note
        let names = newNames
        let records = try replayedRecords(reports)
        let places = Dictionary(
            note.files.indices.map { (note.files[$0].name, $0) },
            uniquingKeysWith: { first, _ in first })
        for file in files {
            let old = path(of: file)
            let new = FileName(refused).joining(names[file.name] ?? file.name)
            let (oldReasons, newReasons) = (
                RejectFile.reasons(of: old), RejectFile.reasons(of: new)
            )
            let place = places[file.name]
            if let place {
                let left = try RejectReason.read(newReasons).count
                let saved = records.counts[file.name, default: 0] - left
                let end = file.isArray == true ? RejectFile.arrayEnd.count : 0
                drained.files[place].addReplayed(saved)
                drained.files[place].recordsLength = FileDescriptor.size(new).map { $0 - end } ?? 0
            }
            guard FileDescriptor.size(new) != nil else {
                moves += [Move(from: nil, to: old), Move(from: nil, to: oldReasons)]
                continue
            }
            let reasons = try reasons(of: file, newReasons, records)
            if let place { drained.files[place].reasonsLength = FileDescriptor.size(reasons) }
            moves += [Move(from: new, to: old), Move(from: reasons, to: oldReasons)]
        }
        moves += try movesOfLinks(from: refused, records, runID: runID)
        // The import that wrote the rejects reads the remaining number from this note.
        let newNote = PathText.join(work, RejectNote.name)
        try drained.write(in: folder, to: newNote)
        moves.append(
            Move(
                from: FileName(newNote), to: FileName(PathText.join(folder, RejectNote.name))))
        try WholeFile.write(Array(moves.json.exact.utf8), to: planPath)
        try recover()
    }

    /// Returns the moves for left-out links of replayed records, with their positions in the
    /// original inputs.
    ///
    /// The links get their own folder, next to the links that the original run left out.
    private func movesOfLinks(
        from refused: String, _ records: ReplayedRecords, runID: String
    ) throws -> [Move] {
        let target = FileName(PathText.join(folder, Self.linksFolderPrefix + runID))
        var moves: [Move] = []
        let names = newNames
        for file in files {
            let name = (names[file.name] ?? file.name).adding(RejectFile.linksSuffix)
            let new = FileName(refused).joining(name)
            guard FileDescriptor.size(new) != nil else { continue }
            var lines = try MissedLinkLine.read(new)
            if let known = try originalPlaces(of: file, records) {
                for index in lines.indices {
                    guard let number = lines[index].record, known.indices.contains(number - 1)
                    else { continue }
                    let first = known[number - 1]
                    lines[index].file = first.file
                    lines[index].record = first.record
                    lines[index].line = first.line
                }
            }
            let written = FileName(work).joining(name)
            try WholeFile.write(lines.flatMap(\.text), to: written)
            moves.append(
                Move(
                    from: written,
                    to: target.joining(file.name.adding(RejectFile.linksSuffix))))
        }
        return moves
    }

    /// The names of the replay's reject files, by the names of the files that it reads.
    private var newNames: [FileName: FileName] {
        var names: [FileName: FileName] = [:]
        for (stage, files) in Dictionary(grouping: files, by: \.stage) {
            names.merge(RejectFileName.names(of: files.map(\.name), stage: stage)) { first, _ in
                first
            }
        }
        return names
    }

    /// Carries out the plan of a replay that was killed, if there is one.
    static func recover(in folder: String) throws {
        guard let note = try RejectNote.read(in: folder) else { return }
        try Replay(folder: folder, note: note).recover()
    }

    /// Completes the files that an unfinished run wrote, so that they can be read.
    ///
    /// - Parameter saved: the notes of that run.
    /// - Throws: `RunFailure` (75) if it was killed before it saved all of the rejects, because it
    ///   reads those records again.
    func prepare(after saved: RunJournal.Saved?) throws {
        guard let saved else { return }
        let own = FileSystem.resolved(FileName(folder)) ?? FileName(folder)
        let notes = saved.points.flatMap(\.rejects).filter {
            let its = $0.path.folder
            return (FileSystem.resolved(its) ?? its) == own
        }.map { $0.replayed(in: note.files) }
        let known = Set(notes.map(\.path.lastComponent))
        let done = Set(saved.stages.map(\.name))
        let isUnsaved =
            !saved.run.isEnded && saved.run.runID == note.run
            && files.contains { !done.contains($0.stage) && !known.contains($0.name) }
        guard !isUnsaved, !notes.contains(where: \.hasLeftovers) else {
            let ownName = "\(note.pipeline)-\(note.run)"
            guard PathText.lastComponent(folder) == ownName || !notes.isEmpty else {
                throw RunFailure(
                    .temporaryFailure, code: "replay.unfinished",
                    "\(shownFolder) does not have the name of its run, which is unfinished:"
                        + " \(ownName)",
                    fix: "replay the folder with that name; if this is it, restore its name")
            }
            throw RunFailure(
                .temporaryFailure, code: "replay.unfinished",
                "The run \(saved.run.runID) was killed while it wrote rejects to \(shownFolder)",
                fix: "run \(saved.run.pipeline) again first")
        }
        for note in notes { try RejectFile(resuming: note)?.close() }
    }

    /// Carries out the plan, if there is one.
    func recover() throws {
        guard FileDescriptor.size(planPath) != nil else { return }
        let plan = try WholeFile.read(FileName(planPath))
        // The decoder's error is replaced by one that names the file. The folder may come from
        // another person, so its plan must not touch other files.
        guard let moves = try? JSONDecoder().decode([Move].self, from: plan),
            moves.allSatisfy(isOwn)
        else {
            throw RunFailure(
                .dataError, code: "rejects.note", "\(planPath) is damaged",
                fix: "restore the file, or import the records of this folder with a separate spec"
            )
        }
        // The links of a replay have a separate folder.
        let folders = Set(moves.map(\.to.folder.textFromHere))
        for folder in folders { try OutputFolder.make(folder) }
        for move in moves {
            guard let from = move.from else {
                FileDescriptor.remove(move.to)
                continue
            }
            // If the file is missing, an earlier attempt has already moved it.
            guard FileDescriptor.size(from) != nil else { continue }
            do throws(SystemFault) {
                try FileSystem.rename(from, to: move.to)
            } catch {
                throw RunFailure(
                    Fault(.output, error.kind(else: .notCreated)), code: "rejects.file",
                    "The reject file \(move.to) cannot be replaced",
                    fix: "check the folder's permissions, and replay again")
            }
        }
        for folder in folders { try FileDescriptor.synchronizeFolder(folder) }
        try FileDescriptor.synchronizeFolder(folder)
        try removeWork()
    }

    /// Returns whether a move of the plan is from the replay's own files to the folder of rejects.
    ///
    /// A folder of links in it is also a valid target.
    private func isOwn(_ move: Move) -> Bool {
        let root = Self.real(FileName(folder))
        let target = Self.real(move.to.folder)
        let isTarget =
            target == root
            || target.folder == root
                && target.lastComponent.hasPrefix(FileName(Self.linksFolderPrefix))
        guard let from = move.from else { return isTarget }
        let parts = Self.real(from.folder).components
        let start = root.components + [ArraySlice(".replay".utf8)]
        return isTarget && parts.starts(with: start) && !parts.contains(ArraySlice("..".utf8))
    }

    /// Returns the path without symbolic links; the last folders need not exist.
    private static func real(_ path: FileName) -> FileName {
        if let real = FileSystem.resolved(path) { return real }
        let folder = path.folder
        return folder == path ? path : real(folder).joining(path.lastComponent)
    }

    /// The folder of the links that a replay left out is named after its run.
    private static let linksFolderPrefix = "replay-"

    /// Writes the new reasons with the positions in the original inputs, if the records of the file
    /// can be identified by number.
    ///
    /// - Returns: the file that contains them.
    private func reasons(
        of file: RejectNote.File, _ path: FileName, _ records: ReplayedRecords
    ) throws -> FileName {
        guard let known = try originalPlaces(of: file, records) else { return path }
        var text: [UInt8] = []
        for var reason in try RejectReason.read(path) {
            if let number = reason.record, known.indices.contains(number - 1) {
                let first = known[number - 1]
                reason.file = first.file
                reason.record = first.record
                reason.line = first.line
                reason.column = first.column
                reason.byte = first.byte
            }
            text += reason.text
        }
        let target = FileName(work).joining(RejectFile.reasons(of: file.name))
        try WholeFile.write(text, to: target)
        return target
    }

    /// Returns the reasons of the replayed records in order, with their original positions; `nil`
    /// if the records cannot be identified by number.
    private func originalPlaces(
        of file: RejectNote.File, _ records: ReplayedRecords
    ) throws -> [RejectReason]? {
        guard records.stages.contains(file.stage) else { return nil }
        return try RejectReason.read(reasonsPath(of: file))
    }

    /// Counts the replayed records once for all files.
    private func replayedRecords(_ reports: [StageReport]) throws -> ReplayedRecords {
        var counts: [FileName: Int] = [:]
        var sums: [String: Int] = [:]
        for file in files {
            let count = try RejectReason.read(reasonsPath(of: file)).count
            counts[file.name] = count
            sums[file.stage, default: 0] += count
        }
        let stages = sums.filter { stage, sum in
            reports.first { $0.name == stage }?.records?.read == sum
        }
        return ReplayedRecords(counts: counts, stages: Set(stages.keys))
    }

    /// Returns a warning if objects were updated with values that are older than those of a later
    /// run.
    ///
    /// A store keeps no time of changes, so each object that a replay updates may have had newer
    /// values.
    ///
    /// - Parameters:
    ///   - folder: the reports of the pipeline, which may be of runs on several stores.
    ///   - store: the path of the replay's store.
    func warningOfOlderValues(
        _ reports: [StageReport], _ folder: ReportFolder, store: String
    ) -> Diagnostic? {
        let updated = reports.compactMap(\.records).reduce(0) { $0 + $1.updated }
        guard updated > 0 else { return nil }
        let later = folder.runsLastEndedLast.reversed().lazy.compactMap { name in
            // Skip a report that cannot be read.
            try? StoredReport.read(folder.dataPath(name)).report
        }.first {
            $0.replay == nil && ($0.records?.read ?? 0) > 0 && $0.isOf(store: store)
        }
        guard let later, later.run != note.run,
            RunName.second(later.run) > RunName.second(note.run)
        else { return nil }
        return Diagnostic(
            .warning, code: "replay.older",
            "\(ReportNumbers.several(updated, "object")) \(updated == 1 ? "was" : "were") updated with"
                + " records of the run \(note.run), which is older than the last run, \(later.run)",
            fix: "check their values; if the last run had newer ones, import its input again")
    }

    /// Reports the remaining rejects.
    ///
    /// - Throws: `RunFailure` with status 65 if a stage has more rejects left than allowed.
    func checkLimits(_ reports: [StageReport], _ allowed: CountLimit) throws {
        let counts = reports.compactMap(\.records)
        guard counts.contains(where: { $0.rejected > allowed.allowed(of: $0.read) }) else { return }
        let left = counts.reduce(0) { $0 + $1.rejected }
        var shown: [String: Int] = [:]
        var diagnostics: [Diagnostic] = []
        for file in files {
            for reason in try RejectReason.read(reasonsPath(of: file))
            where shown[reason.code, default: 0] < 5 {
                shown[reason.code, default: 0] += 1
                diagnostics.append(reason.diagnostic)
            }
        }
        diagnostics.append(
            Diagnostic(
                code: "replay.left",
                "\(left) of \(ReportNumbers.several(counts.reduce(0) { $0 + $1.read }, "record")) "
                    + "\(left == 1 ? "is" : "are") rejected again",
                fix: "correct the records in \(shownFolder)"
                    + (note.specText == nil ? ", or fix the spec," : ",")
                    + " and replay again"))
        throw RunFailure(.dataError, diagnostics)
    }
}
