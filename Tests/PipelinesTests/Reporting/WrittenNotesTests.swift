import Files
import FoundationEssentials
import Testing

@testable import Pipelines

/// Notes and reports encode themselves; each must be decoded to an equal value.
@Suite("Written notes and reports") struct WrittenNotesTests {
    private static let counts: RecordCounts = {
        var counts = RecordCounts()
        (counts.read, counts.inserted, counts.updated, counts.unchanged) = (90, 1, 2, 3)
        (counts.skipped, counts.filtered, counts.superseded, counts.rejected) = (4, 5, 6, 7)
        (counts.discarded, counts.createdTargets, counts.nulledValues) = (8, 9, 10)
        (counts.waiting, counts.replayed) = (11, 12)
        counts.blankLines = 21
        counts.linked = 23
        counts.supersededItems = 22
        return counts
    }()
    private static let objects = [
        ObjectCounts(entity: "Täsk \"x\"\n", inserted: 1, updated: 2, deleted: 3, insertedBefore: 1)
    ]
    private static let code = RejectTally.Code(
        code: "cast", count: 2,
        first: [
            RejectTally.Example(
                detail: "cast.range", file: "a/b.csv", record: 1, line: 2, column: 3, byte: 4,
                field: "size", value: "1e9\u{1}", message: "Too \\ much")
        ])
    private static let missed = MissedLinks(
        relationship: "owner", count: 2, first: ["a.csv:3 'nobody'"])
    private static let form = InputForm(
        format: "csv", columnNames: ["a", "b"], endsAtReturn: true)
    /// Latin-1.
    private static let name = FileName(bytes: [0x61, 0xE9])
    private static let file = RejectFileNote(
        source: name, path: "rejects/a.csv", recordsLength: 5, reasonsLength: 6, isArray: true,
        isFirst: false, replayed: 7, endsAtReturn: true,
        isOfOtherRecords: true)
    private static let input = InputNote(
        path: name, byteCount: 7, digest: [0, 128, 255], records: 8)
    private static let position = InputPosition(
        path: "a.csv", record: 9, offset: 10, digest: [1, 2], isStream: true)

    private static var stageReport: StageReport {
        var report = StageReport(kind: "import", name: "tasks")
        (report.secondsElapsed, report.indexSeconds) = (1.25, 2.5)
        report.records = counts
        report.extraFields = [FieldCount(name: "more", records: 3)]
        report.unfilledAttributes = ["done"]
        report.missedLinks = [missed]
        report.linksFolder = "rejects/x"
        report.rejects =
            (try? JSONDecoder().decode(
                RejectTally.self, from: Data(#"{"codes":[\#(code.json.compact)]}"#.utf8)))
        report.rejectsFolder = "rejects/x"
        report.objects = objects
        report.nested = objects
        (report.matched, report.changed, report.mirrored) = (11, 12, 13)
        (report.denied, report.nullified, report.verified) = (14, 15, 16)
        report.cascaded = ["Tag": 1, "Note": 2]
        report.deniedBy = ["Person.tasks": 14]
        report.exported = ExportedFile(path: "out.csv", rows: 17, bytes: 18, missingFiles: 19)
        return report
    }

    private static var runReport: RunReport {
        var stage = RunReport.Stage(name: "tasks", kind: "import", state: .resumed)
        stage.entity = "Task"
        (stage.secondsElapsed, stage.records, stage.rowsPerSecond) = (0.001, counts, 1e20)
        stage.indexSeconds = 1.5
        stage.extraFields = [FieldCount(name: "more", records: 3)]
        stage.unfilledAttributes = ["done"]
        stage.missedLinks = [missed]
        stage.linksFolder = "rejects/x"
        (stage.rejects, stage.rejectsFolder, stage.objects) = ([code], "rejects/x", objects)
        stage.nested = objects
        (stage.matched, stage.changed, stage.mirrored, stage.denied) = (1, 2, 3, 4)
        (stage.cascaded, stage.nullified, stage.verified) = (["Tag": 1], 5, 6)
        stage.deniedBy = ["Person.tasks": 4]
        stage.inputs = [RunReport.Input(file: "a", bytes: 1, sha256: "ff", records: 2)]
        stage.output = RunReport.Output(file: "b", rows: 3, bytes: 4, missingFiles: 5)
        return RunReport(
            version: "1.2.3", pipeline: "nightly", run: "r", spec: "s.yaml", replay: "rejects/r",
            selection: RunReport.Selection(only: "a", from: "b", limit: 3), started: "s",
            ended: "e", secondsElapsed: 2.5, attempts: 2, attempt: "r2",
            exit: RunReport.Exit(code: 65, name: "DATAERR", meaning: "m"),
            parameters: [RunReport.Parameter(name: "in", type: "path", value: "a/b")],
            store: RunReport.Store(path: "s.sqlite", model: "abc", bytes: 5), stages: [stage],
            objects: objects,
            messages: [RunReport.Message(severity: "error", code: "c", text: "t\u{7F}é")],
            memoryPeak: 6,
            samples: [RunSample(second: 0.5, stage: "import tasks", records: 7, memory: 8)])
    }

    /// Checks that every part of a value is written, and that it is read back equal.
    ///
    /// - Parameter other: The part that is written elsewhere.
    private func check<Value: Decodable & JSONWritable>(
        _ value: Value, but other: String? = nil
    ) throws {
        guard case .object(let members) = value.json else {
            Issue.record("\(Value.self) is no object")
            return
        }
        let names = Mirror(reflecting: value).children.compactMap(\.label).filter { $0 != other }
        #expect(members.map(\.name) == names.sorted())
        for text in [value.json.compact, value.json.formatted] {
            let read = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            #expect(read.json == value.json)
        }
    }

    @Test func runReportsRoundTripThroughJSON() throws {
        let report = Self.runReport
        try check(report)
        let stage = try #require(report.stages.first)
        try check(stage)
        try check(Self.counts)
        try check(Self.code)
        try check(try #require(Self.code.first.first))
        try check(Self.objects[0])
        try check(stage.inputs[0])
        try check(try #require(stage.output))
        try check(stage.extraFields[0])
        try check(report.exit)
        try check(report.parameters[0])
        try check(report.messages[0])
        try check(report.samples[0])
        try check(try #require(report.store))
        try check(try #require(report.selection))
        let text = report.json.formatted
        #expect(try JSONDecoder().decode(RunReport.self, from: Data(text.utf8)) == report)
    }

    private static let section = SectionNote(
        end: position, records: 4, finished: [input], lastRow: 1 << 40, writtenUpTo: 5,
        writtenOfNext: 7, newWritten: 6, rowsHash: .min)

    private static let facts = try? JSONDecoder().decode(
        ReadFacts.self,
        from: Data(
            #"""
            {"extraFields":[{"name":"\u00e9","records":3},{"name":"rowsHash","records":4}],
            "duplicateKeys":{"records":5,"file":"a","record":6,"line":7,"column":8,"byte":9}}
            """#.utf8))

    /// A point without `nil`.
    private static var point: ResumePoint {
        ResumePoint(
            stage: "tasks", fingerprint: "f", position: position, counts: counts,
            objects: ObjectTally(), rejectTally: stageReport.rejects, nextToken: 1 << 60,
            inputs: [name: form, "\u{E9}": form, "e\u{301}": form], rejects: [file],
            secondsElapsed: 3.5, section: section,
            abortBase: RejectBase(read: 4, rejected: 5),
            stop: StopNote(code: "cast", reject: code.first[0], replayed: 6),
            left: [position], unmet: ["a.b"], lacking: ["a.b"], fitsNothing: false,
            missedLinks: [missed],
            links: [LinkFileNote(source: name, path: "rejects/a.csv.links.ndjson", length: 8)],
            facts: facts ?? ReadFacts(), finished: [input])
    }

    /// Returns all paths in a value, at any depth.
    private static func paths(in value: Any) -> [FileName] {
        if let path = value as? FileName { return [path] }
        return Mirror(reflecting: value).children.flatMap { paths(in: $0.value) }
    }

    @Test func mappingReachesEveryPathOfANote() {
        let stage = StageNote(
            name: "tasks", fingerprint: "f", report: Self.stageReport, inputs: [Self.input])
        let mapped: (FileName) -> FileName = { FileName("mapped").joining($0) }
        for (note, count) in [
            (Self.point.mappingPaths(mapped) as Any, 12), (stage.mappingPaths(mapped), 1),
        ] {
            let paths = Self.paths(in: note)
            #expect(paths.count == count)
            #expect(paths.filter { !$0.hasPrefix("mapped/") } == [])
        }
    }

    @Test func resumeNotesRoundTripThroughJSON() throws {
        let run = RunNote(
            pipeline: "p", runID: "r", started: 812_345_678.9, fingerprint: "f", base: "b",
            attempts: 3, keysBefore: [2: 1 << 53, 1: 0], replay: "rejects/x",
            isOfImport: true, isEnded: true,
            leavesOut: true)
        let stage = StageNote(
            name: "tasks", fingerprint: "f", report: Self.stageReport, inputs: [Self.input])
        let importing = Self.point
        try check(run)
        try check(Self.section)
        try check(stage)
        try check(importing, but: "finished")
        try check(try #require(Self.facts?.duplicateKeys))
        let read = try JSONDecoder().decode(
            ResumePoint.self, from: Data(importing.json.compact.utf8))
        #expect(read.inputs.keys.sorted() == [Self.name, "e\u{301}", "\u{E9}"])
        try check(stage.report)
        try check(try #require(stage.report.exported))
        try check(Self.form)
        try check(Self.file)
        try check(Self.input)
        try check(Self.position)
        try check(CompletionNote(run: run, stages: [stage], file: "1:2"))
        let text = stage.json.compact
        #expect(try JSONDecoder().decode(StageNote.self, from: Data(text.utf8)) == stage)
    }

    @Test func objectTalliesRoundTripThroughJSON() throws {
        let text =
            #"[3,{"deleted":1,"inserted":2,"insertedBefore":3,"updated":3},"#
            + #"5,{"deleted":0,"inserted":0,"updated":1}]"#
        let tally = try JSONDecoder().decode(
            ObjectTally.self, from: Data("{\"counts\":\(text)}".utf8))
        #expect(tally.json.compact == "{\"counts\":\(text)}")
    }
}
