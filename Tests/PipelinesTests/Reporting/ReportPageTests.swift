import Foundation
import Testing

@testable import Pipelines

/// The HTML report: self-contained, and safe for any text in the data.
@Suite("HTML reports")
struct ReportPageTests {
    /// Returns a report that sets every field and uses the given string for each text.
    static func report(_ text: String) -> RunReport {
        let example = RejectTally.Example(
            detail: text, file: text, record: 1, line: 2, column: 3, byte: 4, field: text,
            value: text, message: text)
        var stage = RunReport.Stage(name: text, kind: "import", state: .failed)
        stage.entity = text
        stage.secondsElapsed = 1.5
        stage.rowsPerSecond = 1234
        var counts = RecordCounts()
        counts.read = 4
        counts.inserted = 2
        counts.updated = 1
        counts.rejected = 1
        stage.records = counts
        stage.extraFields = [FieldCount(name: text, records: 3)]
        stage.rejects = [RejectTally.Code(code: text, count: 9, first: [example])]
        stage.rejectsFolder = "/r/" + text
        stage.inputs = [RunReport.Input(file: text, bytes: 1, sha256: text, records: 1)]
        var export = RunReport.Stage(name: text, kind: "export", state: .done)
        export.entity = text
        export.output = RunReport.Output(file: text, rows: 5, bytes: 6)
        let samples = (0..<9).map { step in
            RunSample(second: Double(step), stage: text, records: step * step, memory: 1 << 24)
        }
        return RunReport(
            version: text, pipeline: text, run: text, spec: text, replay: text,
            started: text, ended: text, secondsElapsed: 1, attempts: 2,
            exit: RunReport.Exit(code: 65, name: text, meaning: text),
            parameters: [RunReport.Parameter(name: text, type: text, value: text)],
            store: RunReport.Store(path: text, model: text, bytes: 7),
            stages: [stage, export],
            objects: [ObjectCounts(entity: text, inserted: 3, updated: 2, deleted: 1)],
            messages: [RunReport.Message(severity: "error", code: "other", text: text)],
            memoryPeak: 1 << 25, samples: samples)
    }

    /// Returns the first error in the nesting of a page's tags; empty if all are balanced.
    static func imbalance(_ page: String) -> String? {
        let void: Set<String> = ["meta", "br", "!doctype"]
        var open: [String] = []
        for match in page.matches(of: #/<(\/?)([!a-zA-Z0-9]+)((?:"[^"]*"|[^">])*?)(\/?)>/#) {
            let name = String(match.2)
            if void.contains(name) || !match.4.isEmpty { continue }
            guard !match.1.isEmpty else {
                open.append(name)
                continue
            }
            guard open.popLast() == name else { return "</\(name)> after \(open)" }
        }
        return open.isEmpty ? nil : "\(open) never end"
    }

    @Test(
        "escapes markup in data",
        arguments: ["<script>alert('x')</script>", "\"><b onclick=x>", "]]></style>", "&amp;", "'"])
    func escapes(_ text: String) {
        let page = ReportPage.text(of: Self.report(text), in: "/r/s")
        let plain = ReportPage.text(of: Self.report("plain"), in: "/r/s")
        #expect(Self.imbalance(page) == nil)
        #expect(!page.contains("<script") && !page.contains("<b on"))
        // The same tags, regardless of the text.
        #expect(page.matches(of: #/<[a-z]/#).count == plain.matches(of: #/<[a-z]/#).count)
        #expect(page.contains(Markup.escape(text)))
    }

    @Test("the text and the HTML report show cascaded deletions by entity")
    func consequences() {
        var report = Self.report("plain")
        var stage = RunReport.Stage(name: "old", kind: "delete", state: .done)
        stage.matched = 2
        stage.changed = 2
        stage.objects = [ObjectCounts(entity: "Task", inserted: 0, updated: 0, deleted: 6)]
        stage.cascaded = ["Note": 1, "Step": 3]
        stage.deniedBy = ["Task.loans": 2]
        stage.nullified = 1
        report.stages = [stage]
        let text = ReportText.text(of: report)
        #expect(
            text.contains(
                "2 matched, 2 deleted, 4 more by cascade, taken along: Step 3, Note 1, "
                    + "kept by: Task.loans 2, lost a link: 1 object"), "\(text)")
        let page = ReportPage.text(of: report)
        #expect(page.contains(">Step 3, Note 1</td>") && page.contains(">1 object</td>"))
    }

    @Test("escapes control characters and keeps all others")
    func controls() {
        #expect(
            Markup.escape("a\u{0}\u{1B}[31m\tb\u{85}ü€🦊") == "a\\u{0}\\u{1B}[31m\tb\\u{85}ü€🦊")
    }

    @Test("the HTML report loads no external resource")
    func selfContained() {
        let page = ReportPage.text(of: Self.report("plain"))
        for word in ["http:", "https:", "src=", "url(", "@import", "<script", "<link", "<iframe"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("default-src 'none'"))
    }

    @Test("both drawings show the counts at the arrows, and the rejects next to them")
    func picture() {
        let picture = StagePicture(Self.report("plain").stages).markup.text
        for text in ["4 read", "+2 new", "1 updated", "1 rejected", "6 B"] {
            #expect(picture.components(separatedBy: ">\(text)<").count == 3, "\(text)")
        }
        #expect(picture.components(separatedBy: "class=\"stage failed\"").count == 3)
    }

    @Test(
        "builds relative links from the report to another folder",
        arguments: [
            ("/a/runs", "/a/rejects/x", "../rejects/x"),
            ("/a/runs", "/b c/ü", "../../b%20c/%C3%BC"),
            ("/a/b", "/a/b", "."), ("/a/../c", "/c/./d\"", "d%22"), ("/../a", "/a/b", "b"),
        ])
    func links(_ folder: String, _ path: String, _ link: String) {
        #expect(RelativePath.link(from: folder, to: path) == link)
        #expect(RelativePath.link(from: "a", to: path) == nil)
    }

    @Test(
        "formats numbers for readers",
        arguments: [
            (ReportNumbers.bytes(999), "999 B"), (ReportNumbers.bytes(1_234_567), "1.2 MB"),
            (ReportNumbers.memory(128 << 20), "128 MiB"), (ReportNumbers.rate(310_400), "310 k"),
            (ReportNumbers.rate(1_250_000), "1.3 M"), (ReportNumbers.duration(0.0425), "43 ms"),
            (ReportNumbers.duration(12.34), "12.3 s"), (ReportNumbers.duration(3725), "62 min 5 s"),
            (ReportNumbers.fit("a-very-long-name.csv", 10), "a-ver….csv"),
        ])
    func numbers(_ words: String, _ expected: String) {
        #expect(words == expected)
    }
}
