import Digests
import Files
import Foundation
import Synchronization
import Testing

@testable import Pipelines

/// Exports in several parts, for programs that read many files in parallel.
@Suite("Exports in parts")
struct ExportPartsTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: Integer 64, optional: false }, title: String }
            unique: [[id]]
          Point:
            attributes:
              name: { type: String, optional: false }
              day: { type: Date, optional: false }
              size: Double
            unique: [[name, day]]
          Note: { attributes: { text: String } }
        """

    private struct Manifest: Decodable {
        struct File: Decodable {
            var file: String
            var rows: Int
            var bytes: Int
            var sha256: String
        }

        var files: [File]
        var rows: Int
        var bytes: Int
    }

    static func part(_ key: String, of count: UInt64) -> Int {
        let number = ByteDigest.of(Array(key.utf8)).prefix(8).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return Int(number % count)
    }

    private func manifest(_ folder: Workspace, _ name: String) throws -> Manifest {
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(folder.bytes(name)))
        let place = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
        for file in manifest.files {
            let bytes = try folder.bytes(place + file.file)
            #expect(bytes.count == file.bytes)
            #expect(
                ByteDigest.of(Array(bytes)).map { String(format: "%02x", $0) }.joined()
                    == file.sha256)
        }
        #expect(manifest.rows == manifest.files.reduce(0) { $0 + $1.rows })
        #expect(manifest.bytes == manifest.files.reduce(0) { $0 + $1.bytes })
        return manifest
    }

    @Test("a row's key selects its part, and parts keep the order of the export")
    func parts() throws {
        let folder = try Workspace()
        try folder.write(
            "t.ndjson", (1...200).map { "{\"id\":\($0),\"title\":\"t\($0)\"}\n" }.joined())
        let run = try folder.run(
            model: Self.model,
            """
            - { import: t.ndjson, into: Task }
            - { export: Task, to: out/tasks.ndjson.gz, fields: [title], order: id desc, parts: 8 }
            - { export: whole, entity: Task, to: whole.csv, order: id desc }
            - { export: tables, entity: Task, to: t.csv, order: id desc, parts: 3 }
            - { export: one, entity: Task, to: one, as: json, parts: 1 }
            """)
        #expect(run.text == "")
        #expect(run.lines[1] == "export export-task: 200 rows to out/tasks.manifest.json")
        let names = (1...8).map { "tasks-00\($0)-of-008.ndjson.gz" }
        #expect(folder.names("out") == names + ["tasks.manifest.json"])
        let found = try manifest(folder, "out/tasks.manifest.json")
        #expect(found.rows == 200)
        #expect(found.files.map(\.file) == names)
        let expected = (0..<8).map { part in
            (1...200).reversed().filter { Self.part("\($0)", of: 8) == part }
        }
        #expect(found.files.map(\.rows) == expected.map(\.count))
        let tables = try manifest(folder, "t.manifest.json")
        for (part, file) in tables.files.enumerated() {
            let rows = (1...200).reversed().filter { Self.part("\($0)", of: 3) == part }
            #expect(
                try folder.text(file.file)
                    == "id,title\n" + rows.map { "\($0),t\($0)\n" }.joined())
        }
        #expect(folder.names().contains("one-001-of-001"))
        #expect(try manifest(folder, "one.manifest.json").files.map(\.rows) == [200])
    }

    @Test("all attributes of the key select the part, or the primary key without a key")
    func keys() throws {
        let folder = try Workspace()
        try folder.write(
            "p.ndjson",
            (1...50).map {
                "{\"name\":\"p, \\\"\($0)\",\"day\":\"2026-01-0\($0 % 9 + 1)T00:00:00Z\",\"size\":\($0)}\n"
            }.joined())
        try folder.write("n.ndjson", (1...50).map { "{\"text\":\"n\($0)\"}\n" }.joined())
        let run = try folder.run(
            model: Self.model,
            """
            - { import: p.ndjson, into: Point }
            - { import: n.ndjson, into: Note, when-found: append }
            - { export: Point, to: p.csv, fields: [size], parts: 4 }
            - { export: Note, to: n.tsv, fields: [objectID, text], parts: 4 }
            """)
        #expect(run.text == "")
        for (part, file) in try manifest(folder, "p.manifest.json").files.enumerated() {
            let sizes = try folder.text(file.file).split(separator: "\n").dropFirst()
            let expected = (1...50).filter {
                Self.part("p, \"\($0)\t2026-01-0\($0 % 9 + 1)T00:00:00Z", of: 4) == part
            }
            #expect(Set(sizes.compactMap { Double($0) }) == Set(expected.map(Double.init)))
        }
        for (part, file) in try manifest(folder, "n.manifest.json").files.enumerated() {
            for line in try folder.text(file.file).split(separator: "\n").dropFirst() {
                #expect(Self.part(String(line.prefix { $0 != "\t" }), of: 4) == part)
            }
        }
    }

    @Test("with open: replace, parts are renamed with the store, and the manifest last")
    func publication() throws {
        let folder = try Workspace()
        try folder.write("t.ndjson", "{\"id\":1}\n{\"id\":2}\n")
        let stages = """
            - { import: t.ndjson, into: Task }
            - { export: Task, to: t.csv, parts: 2 }
            - { verify: sane, expect: { Task: 2 } }
            """
        let run = try folder.run(model: Self.model, stages, open: "replace")
        #expect(run.text == "")
        let before = try ["t-001-of-002.csv", "t-002-of-002.csv", "t.manifest.json"].map(
            folder.text)
        try folder.write("t.ndjson", "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n")
        #expect(try folder.run(model: Self.model, stages, open: "replace").status == .dataError)
        #expect(
            try ["t-001-of-002.csv", "t-002-of-002.csv", "t.manifest.json"].map(folder.text)
                == before)
        #expect(!folder.names().contains { $0.hasSuffix(".ready") || $0.hasSuffix(".part") })
    }

    /// Returns a folder with an export in eight parts, to whose manifest a user has added names.
    private func folderOfEight() throws -> Workspace {
        let folder = try Workspace()
        try folder.write("t.ndjson", "{\"id\":1}\n{\"id\":2}\n")
        let run = try folder.run(
            model: Self.model,
            " [{ import: t.ndjson, into: Task }, { export: Task, to: out/t.csv.gz, parts: 8 }]")
        #expect(run.text == "")
        for name in ["t-009-of-009.csv.gz", "u-001-of-008.csv.gz", "t-001.csv"] {
            try folder.write("out/\(name)", "mine")
        }
        try folder.write("t-001-of-008.csv.gz", "mine")
        let manifest = try folder.text("out/t.manifest.json").replacing(
            "\"files\":[",
            with: "\"files\":[{\"file\":\"../t-001-of-008.csv.gz\"},{\"file\":\"t-001.csv\"},"
                + "{\"file\":\"u-001-of-008.csv.gz\"},")
        try folder.write("out/t.manifest.json", manifest)
        return folder
    }

    private static let four = "{ export: Task, to: out/t.csv, parts: 4 }"
    private static let kept = ["t-001.csv", "t-009-of-009.csv.gz"]
    private static let fourNames = (1...4).map { "t-00\($0)-of-004.csv" }
    private static let eightNames = (1...8).map { "t-00\($0)-of-008.csv.gz" }

    @Test("with a new number of parts, the old parts are removed last, and no other files")
    func fewerParts() throws {
        let folder = try folderOfEight()
        let calls = Mutex<[String]>([])
        let hook = FileHooks.install(
            FileHook(folder: folder.path("out")) { call in
                switch call.kind {
                case .rename(let to):
                    calls.withLock { $0.append("make " + to.lastComponent.displayText) }
                case .remove:
                    calls.withLock { $0.append("remove " + call.path.lastComponent.displayText) }
                default: break
                }
                return .proceed
            })
        defer { FileHooks.remove(hook) }
        #expect(try folder.run(model: Self.model, " [\(Self.four)]").text == "")
        #expect(
            folder.names("out")
                == (Self.fourNames + Self.kept + ["t.manifest.json", "u-001-of-008.csv.gz"])
                .sorted())
        #expect(folder.names().contains("t-001-of-008.csv.gz"))
        let order = calls.withLock { $0.filter { !$0.contains(" .") } }
        #expect(
            order == Self.fourNames.map { "make \($0)" } + ["make t.manifest.json"]
                + Self.eightNames.map { "remove \($0)" })
    }

    @Test("the old parts stay if the new manifest cannot be renamed")
    func failedManifest() throws {
        let folder = try folderOfEight()
        let hook = FileHooks.install(
            FileHook(folder: folder.path("out")) { call in
                guard case .rename(let to) = call.kind, to.lastComponent == "t.manifest.json" else {
                    return .proceed
                }
                return .fail(EIO)
            })
        #expect(try folder.run(model: Self.model, " [\(Self.four)]").status != .ok)
        FileHooks.remove(hook)
        #expect(Set(Self.eightNames).isSubset(of: folder.names("out")))
        #expect(try folder.run(model: Self.model, " [\(Self.four)]").text == "")
        #expect(Set(Self.eightNames).isDisjoint(with: folder.names("out")))
    }

    @Test("with open: replace, old parts are removed with the old store, and stay if the run fails")
    func fewerPartsOfReplacedStore() throws {
        let folder = try folderOfEight()
        func stages(_ count: Int) -> String {
            " [{ import: t.ndjson, into: Task }, \(Self.four), "
                + "{ verify: sane, expect: { Task: \(count) } }]"
        }
        #expect(
            try folder.run(model: Self.model, stages(3), open: "replace").status == .dataError)
        #expect(Set(Self.eightNames).isSubset(of: folder.names("out")))
        #expect(Set(Self.fourNames).isDisjoint(with: folder.names("out")))
        #expect(try folder.run(model: Self.model, stages(2), open: "replace").text == "")
        #expect(
            folder.names("out")
                == (Self.fourNames + Self.kept + ["t.manifest.json", "u-001-of-008.csv.gz"])
                .sorted())
    }

    @Test("an export does not remove old parts that the same run has read")
    func partsThatAreInputs() throws {
        let folder = try folderOfEight()
        let run = try folder.run(
            model: Self.model,
            " [{ import: d, read: { files: \"out/t-*-of-008.csv.gz\" }, into: Task }, \(Self.four)]"
        )
        #expect(run.text == "")
        #expect(Set(Self.eightNames).isSubset(of: folder.names("out")))
    }

    @Test("check rejects exports that cannot be split into parts")
    func refused() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: s.sqlite, model: model.yaml, open: create }
                stages:
                  - { export: Task, to: "-", as: csv, parts: 2 }
                  - { export: b, entity: Task, to: { command: [cat] }, as: csv, parts: 2 }
                  - { export: c, entity: Task, to: c.csv, parts: 0 }
                """) == """
                    spec.yaml:4:46: error: Parts are files, but '-' is standard output [spec.rule]
                      in: stages[0].parts
                    spec.yaml:5:72: error: Parts are files, but a command reads this export \
                    [spec.rule]
                      in: stages[1].parts
                    spec.yaml:6:50: error: 'parts' must be from 1 to 256, not 0 [spec.range]
                      in: stages[2].parts
                    """)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: s.sqlite, model: model.yaml, open: create }
                stages:
                  - { export: Task, to: c.csv, parts: 2 }
                  - { export: d, entity: Task, to: c-002-of-002.csv }
                  - { export: e, entity: Task, to: c.manifest.json }
                """) == """
                    spec.yaml:5:36: error: The export on line 4 writes c-002-of-002.csv too [output.twice]
                      in: stages[1].to
                      fix: name another file
                    spec.yaml:6:36: error: The export on line 4 writes c.manifest.json too [output.twice]
                      in: stages[2].to
                      fix: name another file
                    """)
    }
}
