import Files
import Foundation
import RecordStreams
import Testing

@testable import Pipelines

/// Runs over inputs whose names a `String` would confuse or lose.
@Suite(
    "Runs with file names of arbitrary bytes",
    .enabled(if: RawFiles.areAllowed, "the file system changes or rejects some names"))
struct FileNameRunTests {
    private static let composed = FileName("in/\u{E9}.csv")
    private static let decomposed = FileName("in/e\u{301}.csv")
    private static let latin1 = FileName(bytes: Array("in/caf".utf8) + [0xE9] + Array(".csv".utf8))
    private static let mark = FileName("in/\u{301}x.csv")
    private static let long = FileName("in/" + String(repeating: "n", count: 246) + ".csv")
    /// The names in byte order.
    private static let names = [latin1, decomposed, long, composed, mark].sorted()

    private static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: String, optional: false }, size: Integer 16 }
        """

    private static func stage(_ read: String, _ more: String = "") -> String {
        "- { import: tasks, read: { files: \(read) }, into: Task, when-found: append\(more) }"
    }

    private static let ids = "SELECT ZID FROM ZTASK ORDER BY ZID"

    @Test("reads each file, and with `once` reads none of them again")
    func once() throws {
        let folder = try Workspace()
        for (place, name) in Self.names.enumerated() {
            try RawFiles.write("id,size\n\(place),1\n", to: name, in: folder)
        }
        let stage = Self.stage("\"in/*.csv\", once: true")
        for lines in [["import tasks: 5 read, 5 inserted"], ["import tasks: 0 read"]] {
            let run = try folder.run(model: Self.model, stage)
            #expect(run.text == "")
            #expect(run.lines == lines)
        }
        #expect(try folder.rows(Self.ids) == ["0", "1", "2", "3", "4"])
        #expect(
            try folder.rows(
                "SELECT count(*), count(DISTINCT PATH) FROM ETL_INPUTS WHERE PIPELINE <> ''")
                == ["5|5"])
        // Only the input that differs, though it has the same length, is read.
        try RawFiles.write("id,size\n7,1\n", to: Self.latin1, in: folder)
        #expect(
            try folder.run(model: Self.model, stage).lines == ["import tasks: 1 read, 1 inserted"])
    }

    @Test(
        "resumes at each file that an earlier run did not read completely",
        arguments: [latin1, decomposed, composed, mark])
    func resumes(damaged: FileName) throws {
        let folder = try Workspace()
        for (place, name) in Self.names.enumerated() {
            try RawFiles.write(
                gzip: "id,size\n" + (0..<20).map { "\(place)-\($0),1\n" }.joined(), to: name,
                in: folder, isTruncated: name == damaged)
        }
        let stage = Self.stage("\"in/*.csv\"")
        let failed = try folder.run(model: Self.model, stage)
        #expect(failed.status == .dataError)
        #expect(failed.text.hasPrefix(damaged.displayText + ": error: The gzip data ends early"))
        let place = try #require(Self.names.firstIndex(of: damaged))
        try RawFiles.write(
            gzip: "id,size\n" + (0..<20).map { "\(place)-\($0),1\n" }.joined(), to: damaged,
            in: folder)
        let again = try folder.run(model: Self.model, stage)
        #expect(again.text == "")
        #expect(try folder.rows("SELECT count(*), count(DISTINCT ZID) FROM ZTASK") == ["100|100"])
    }

    @Test("writes the rejects of each file to a separate file, and replays them")
    func rejects() throws {
        let folder = try Workspace()
        for (place, name) in Self.names.enumerated() {
            try RawFiles.write("id,size\n\(place),x\n", to: name, in: folder)
        }
        let run = try folder.run(
            model: Self.model, Self.stage("\"in/*.csv\""), top: "rejects: { allow: 100% }")
        #expect(run.lines == ["import tasks: 5 read, 5 rejected"])
        let rejects = "rejects/" + folder.names("rejects")[0]
        let names = folder.names(rejects).filter { !$0.hasPrefix(".") }
        #expect(names.count == 10)
        #expect(names.allSatisfy { $0.utf8.count <= 255 })
        let records = names.filter { $0.hasSuffix(".csv") }
        #expect(
            Set(records.map { FileName($0) }) == [
                "tasks.1.e\u{301}.csv", "tasks.2.\u{E9}.csv",
                FileName("tasks.caf%E9-\(digits(Self.latin1)).csv"),
                "tasks.\u{301}x.csv",
                FileName(
                    "tasks." + String(repeating: "n", count: 242 - 6 - 13)
                        + "-\(digits(Self.long)).csv"),
            ])
        for (place, name) in Self.names.enumerated() {
            let own = try records.filter {
                try folder.text("\(rejects)/\($0)").contains("\(place),x")
            }
            #expect(own.count == 1)
            let why = try folder.text("\(rejects)/\(own[0]).why.ndjson")
            let reason = try JSONDecoder().decode(RejectReason.self, from: Data(why.utf8))
            #expect(reason.file.hasSuffix("/" + name.lastComponent.displayText))
            try folder.write(
                "\(rejects)/\(own[0])", "id,size\n\(place),\(place == 0 ? "y" : "1")\n")
        }
        let replay = ReplayTests.replay(folder, rejects)
        #expect(replay.lines == ["import tasks: 5 read, 4 inserted, 1 rejected"])
        #expect(try folder.rows(Self.ids) == ["1", "2", "3", "4"])
        #expect(folder.names(rejects).filter { !$0.hasPrefix(".") }.count == 2)
        // The remaining record keeps its original position, and can be replayed again.
        let left = try #require(folder.names(rejects).last { $0.hasSuffix(".why.ndjson") })
        let reason = try JSONDecoder().decode(
            RejectReason.self, from: Data(folder.text("\(rejects)/\(left)").utf8))
        #expect(reason.file.hasSuffix("/caf\\xE9.csv"))
        try folder.write("\(rejects)/\(left.dropLast(".why.ndjson".count))", "id,size\n0,1\n")
        #expect(ReplayTests.replay(folder, rejects).lines == ["import tasks: 1 read, 1 inserted"])
        #expect(try folder.rows(Self.ids) == ["0", "1", "2", "3", "4"])
    }

    /// Returns the digits in the name of the reject file.
    private func digits(_ input: FileName) -> String {
        let name = RejectFileName.name(of: input, stage: "tasks").displayText
        return String(name.dropLast(4).suffix(8))
    }

    @Test("names the files in status and report, and keeps their rejects after resuming")
    func texts() throws {
        let folder = try Workspace()
        let text = "id,size\n1,1\n2,x\n" + (3..<2000).map { "\($0),1\n" }.joined()
        try RawFiles.write(gzip: text, to: Self.latin1, in: folder, isTruncated: true)
        let stage = Self.stage("\"in/*.csv\"")
        let top = "rejects: { allow: 100% }\nreport: { to: runs }"
        #expect(try folder.run(model: Self.model, stage, top: top).status == .dataError)
        let context = ParameterValues.Context(now: Workspace.now, workingFolder: "/")
        let status = try PipelineStatus.of(spec: folder.path("spec.yaml"), context)
            .text(now: Workspace.now)
        #expect(
            status.contains(" of \(folder.folder)/in/caf\\xE9.csv; the next run continues\n"),
            "\(status)")
        try RawFiles.write(gzip: text, to: Self.latin1, in: folder)
        #expect(try folder.run(model: Self.model, stage, top: top).status == .ok)
        #expect(try folder.rows("SELECT count(*), count(DISTINCT ZID) FROM ZTASK") == ["1998|1998"])
        let files = try folder.rejects()
        #expect(files.filter { $0.key.hasSuffix(".csv") }.map(\.value) == ["id,size\n2,x\n"])
        let report = try #require(folder.names("runs").last { $0.hasSuffix(".json") })
        let last = try JSONDecoder().decode(
            RunReport.self, from: Data(folder.text("runs/\(report)").utf8))
        #expect(last.stages[0].inputs.map(\.file) == [folder.realPath + "/in/caf\\xE9.csv"])
        #expect(last.stages[0].rejects[0].first[0].file.hasSuffix("/in/caf\\xE9.csv"))
    }

    @Test("ends with 66 and names a symbolic link whose target is missing")
    func danglingLinks() throws {
        let folder = try Workspace()
        try folder.write("in/a.csv", "id,size\n1,1\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("in/b.csv"), withDestinationPath: "gone.csv")
        let run = try folder.run(model: Self.model, Self.stage("\"in/*.csv\""))
        #expect(run.status == .noInput)
        #expect(run.text.hasPrefix("in/b.csv: error: The symbolic link leads to a file that"))
        #expect(try folder.rows(Self.ids) == [])
    }

    @Test("infer names a file by a pattern if its name is not UTF-8")
    func inferred() throws {
        let folder = try Workspace()
        try RawFiles.write("id,size\n1,1\n", to: Self.latin1, in: folder)
        let found = try InferenceCase(folder, ["in/caf?.csv"])
        #expect(found.spec.contains("      files: \"in/caf?.csv\"\n"), "\(found.spec)")
        #expect(found.spec.contains("    into: Caf\n"), "\(found.spec)")
    }

    @Test("recognizes the braces of a parameter before a combining mark")
    func parameters() throws {
        let folder = try Workspace()
        try RawFiles.write("id,size\n1,1\n", to: Self.mark, in: folder)
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read: { files: "${in}/\u{301}x.csv" }
              into: Task
              when-found: append
              keep-if: "id == ${in}\u{301}"
            """, top: "params: { in: { type: path, default: in } }")
        #expect(run.text.contains("'${in}' would put text into 'keep-if'"), "\(run.text)")
        let read = try folder.run(
            model: Self.model, Self.stage("\"${in}/\u{301}x.csv\""),
            top: "params: { in: { type: path, default: in } }")
        #expect(read.lines == ["import tasks: 1 read, 1 inserted"], "\(read.text)")
    }

    @Test("rejects an export to an input by its bytes, but not to a name that only looks the same")
    func exports() throws {
        let folder = try Workspace()
        try RawFiles.write("id,size\n1,1\n", to: Self.composed, in: folder)
        let stages = { (name: String) in
            Self.stage("\"in/*.csv\"") + "\n- { export: Task, to: \"in/\(name)\" }"
        }
        #expect(
            try folder.run(model: Self.model, stages("\\u00e9.csv")).text
                .contains("[output.protected]"))
        #expect(try folder.run(model: Self.model, stages("e\\u0301.csv")).status == .ok)
        #expect(folder.names("in").count == 2)
    }

    @Test(
        "names reject files in UTF-8, within the maximum length, and all differently",
        arguments: [
            (["in/a.csv"], "t", ["t.a.csv"]), (["-"], "t", ["t.stdin"]),
            (["x/a.csv", "y/a.csv.gz"], "t", ["t.1.a.csv", "t.2.a.csv"]),
            (["x/A.csv", "y/a.csv"], "t", ["t.1.A.csv", "t.2.a.csv"]),
        ] as [([String], String, [String])])
    func rejectNames(inputs: [String], stage: String, expected: [String]) {
        let inputs = inputs.map { FileName($0) }
        let names = RejectFileName.names(of: inputs, stage: stage)
        #expect(inputs.map { names[$0] } == expected.map { FileName($0) })
    }

    @Test("truncates the names of reject files between characters, and appends a hash of the name")
    func longRejectNames() {
        let inputs = (0..<50).map { number in
            FileName(String(repeating: "é", count: 100 + number) + "\(number % 2).ndjson")
        }
        let stage = String(repeating: "s", count: 64)
        let names = RejectFileName.names(of: inputs, stage: stage)
        #expect(Set(names.values).count == inputs.count)
        for name in names.values {
            #expect(name.bytes.count <= RejectFileName.bytesMax)
            #expect(name.exactText != nil && name.hasSuffix(".ndjson"))
        }
    }
}

extension Workspace {
    /// The path of the folder with symbolic links resolved.
    fileprivate var realPath: String {
        FileSystem.resolved(FileName(folder))?.displayText ?? folder
    }
}

/// Files with arbitrary bytes as names.
private enum RawFiles {
    /// Whether the file system of temporary files accepts arbitrary bytes as names.
    static let areAllowed: Bool = {
        do {
            let folder = try Workspace()
            for name in ["e\u{301}", "\u{E9}", FileName(bytes: [0xE9])] {
                try write("", to: name, in: folder)
            }
            return folder.names().count == 3
        } catch {
            return false
        }
    }()

    struct NotWritten: Error {}

    static func write(_ text: String, to name: FileName, in folder: Workspace) throws {
        try write(bytes: Array(text.utf8), to: name, in: folder)
    }

    /// Writes a string as gzip, or all but its end.
    static func write(
        gzip text: String, to name: FileName, in folder: Workspace, isTruncated: Bool = false
    ) throws {
        let bytes = try folder.writeGzip("whole.gz", text)
        try write(bytes: isTruncated ? bytes.dropLast(12) : bytes, to: name, in: folder)
    }

    private static func write(bytes: [UInt8], to name: FileName, in folder: Workspace) throws {
        let path = FileName(folder.folder).joining(name)
        try FileManager.default.createDirectory(
            atPath: path.folder.displayText, withIntermediateDirectories: true)
        guard let file = fopen(path.cString, "w") else { throw NotWritten() }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }
}
