import Testing

@testable import Pipelines

@Suite("Text of the progress line") struct ProgressLineTests {
    private static let snapshot = RunProgress.Snapshot(
        stage: "import tasks", phase: "", bytesTotal: 23_000_000, bytesRead: 12_000_000,
        records: 310_000)

    @Test(
        "keeps rate and time if there are fewer columns",
        arguments: [
            (
                100,
                "import tasks [##########          ] 52% 12 MB of 23 MB, 310 k rows/s, 1 s left"
            ),
            (70, "import tasks [#####     ] 52% 12 MB of 23 MB, 310 k rows/s, 1 s left"),
            (60, "import tasks [#####     ] 52% 310 k rows/s, 1 s left"),
            (50, "import tasks 52% 310 k rows/s, 1 s left"),
            (36, "impo…sks 52% 310 k rows/s, 1 s left"),
            (20, "import tasks 52% 31"),
        ])
    func widths(_ columns: Int, _ line: String) {
        let text = ProgressLine.text(Self.snapshot, seconds: 1, columns: columns)
        #expect(text == line)
        #expect(text.count < columns)
    }

    @Test("truncates a long name before the rate")
    func longName() {
        var snapshot = Self.snapshot
        snapshot.stage = "import " + String(repeating: "long-name-", count: 6) + "end"
        #expect(
            ProgressLine.text(snapshot, seconds: 1, columns: 60)
                == "import long-name…e-long-name-end 52% 310 k rows/s, 1 s left")
    }
}
