import Foundation
import SQLite
import Testing

@testable import Pipelines

/// `open: create | existing | replace`, models that differ, and parameters.
@Suite("Stores and parameters")
struct StoreModeTests {
    static let stage = "- { import: a.ndjson, into: Task }"
    static let rows = "SELECT ZID FROM ZTASK ORDER BY ZID"

    @Test(
        "existing: a missing store ends the run with 66, even if its folder is missing",
        arguments: ["store.sqlite", "no/such/store.sqlite"])
    func missing(_ path: String) throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        let run = try folder.run(
            """
            etl: 1
            store: { at: \(path) }
            stages: [{ import: a.ndjson, into: Task }]
            """)
        #expect(run.status == .noInput)
        #expect(
            run.text == """
                error: \(path) does not exist; `open: create` makes it when it is missing \
                [store.missing]
                """)
        #expect(folder.names() == ["a.ndjson", "runs", "spec.yaml"])
    }

    @Test("create creates a missing store with its folders, and opens an existing one")
    func create() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        let spec = """
            etl: 1
            store: { at: x/y/store.sqlite, model: model.yaml, open: create }
            stages: [{ import: a.ndjson, into: Task }]
            """
        #expect(try folder.run(spec).text == "")
        try folder.write("a.ndjson", #"{"id":"2"}"#)
        #expect(try folder.run(spec).text == "")
        #expect(try folder.rows(Self.rows, store: "x/y/store.sqlite") == ["1", "2"])
    }

    @Test("replace builds a new store, and replaces the old one at the end")
    func replace() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        let first = try folder.run(model: InputTests.model, Self.stage, open: "replace")
        #expect(first.text == "")
        #expect(try folder.rows(Self.rows) == ["1"])
        try folder.write("a.ndjson", #"{"id":"2"}"#)
        #expect(
            try folder.run(model: InputTests.model, Self.stage, open: "replace").text == "")
        #expect(try folder.rows(Self.rows) == ["2"])
        #expect(
            folder.names().filter {
                $0.hasPrefix("store") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
            }
                == ["store.sqlite", "store.sqlite.etl-lock"])
    }

    @Test(
        "replace: rejects a file that is not a store before reading input, and keeps it",
        arguments: ["text", "database"])
    func replaceOther(_ kind: String) throws {
        let folder = try Workspace()
        if kind == "text" {
            try folder.write("store.sqlite", String(repeating: "my diary\n", count: 200))
        } else {
            let other = try Connection(path: folder.path("store.sqlite"), mode: .create)
            try other.execute("CREATE TABLE DIARY (DAY TEXT)")
        }
        let before = try folder.bytes("store.sqlite")
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        let run = try folder.run(model: InputTests.model, Self.stage, open: "replace")
        let expected: (Pipelines.ExitStatus, String) =
            kind == "text"
            ? (.ioError, "store.sqlite is not an SQLite file, or is damaged [store.corrupt]")
            : (
                .configuration,
                "store.sqlite is an SQLite file, but not a store [store.not-a-store]"
            )
        #expect(run.status == expected.0)
        #expect(run.text == "error: " + expected.1)
        #expect(run.lines == [])
        #expect(try folder.bytes("store.sqlite") == before)
        #expect(!folder.exists("store.sqlite.etl-new"))
    }

    @Test("replace replaces an empty file")
    func replaceEmpty() throws {
        let folder = try Workspace()
        try folder.write("store.sqlite", "")
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        #expect(
            try folder.run(model: InputTests.model, Self.stage, open: "replace").text == "")
        #expect(try folder.rows(Self.rows) == ["1"])
    }

    @Test("replace: a failed stage leaves the old store unchanged")
    func failedReplace() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        _ = try folder.run(model: InputTests.model, Self.stage)
        let before = try folder.bytes("store.sqlite")
        try folder.write("a.ndjson", "{\"id\":\"2\"}\n{\"id\":null}\n")
        let run = try folder.run(model: InputTests.model, Self.stage, open: "replace")
        #expect(run.status == .dataError)
        #expect(try folder.bytes("store.sqlite") == before)
        #expect(try folder.rows(Self.rows) == ["1"])
        #expect(!folder.names().contains { $0.contains("etl-new") })
    }

    @Test("replace: a process with the old file open can still read it")
    func readersOfTheOld() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        _ = try folder.run(model: InputTests.model, Self.stage)
        let path = folder.path("store.sqlite")
        var reader: Connection? = try Connection(path: path, mode: .readWrite)
        try reader?.execute("BEGIN")
        #expect(try reader?.text(Self.rows) == "1")
        try folder.write("a.ndjson", #"{"id":"2"}"#)
        let run = try folder.run(model: InputTests.model, Self.stage, open: "replace")
        // Whether or not the run waits for the reader, the reader sees one consistent store.
        #expect(try reader?.text(Self.rows) == "1")
        try reader?.execute("COMMIT")
        reader = nil
        #expect(run.status == .temporaryFailure)
        #expect(try folder.rows(Self.rows) == ["1"])
        // The new store is kept for the next run, which has nothing else to do.
        #expect(folder.names().contains("store.sqlite.etl-new"))
        try FileManager.default.removeItem(atPath: folder.path("a.ndjson"))
        #expect(
            try folder.run(model: InputTests.model, Self.stage, open: "replace").status == .ok)
        #expect(try folder.rows(Self.rows) == ["2"])
        #expect(!folder.names().contains { $0.contains("etl-new") })
    }

    @Test("the error for another model names the differences from the store's model")
    func otherModel() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        _ = try folder.run(model: InputTests.model, Self.stage)
        let other = InputTests.model.replacing("size: Integer 32", with: "size: Integer 64")
        let run = try folder.run(model: other, Self.stage)
        #expect(run.status == .configuration)
        #expect(
            run.text == """
                error: store.sqlite was created with another version of the model; these entities \
                differ: Task [store.model-mismatch]
                  fix: bring the store to this model: etl migrate store.sqlite --to model.yaml
                """)
    }

    @Test(
        "a file that is not a store ends the run and is unchanged",
        arguments: [
            (
                "garbage!".utf8.map { $0 } + Array(repeating: 7, count: 5000),
                Pipelines.ExitStatus.ioError
            )
        ])
    func notAStore(_ bytes: [UInt8], _ status: Pipelines.ExitStatus) throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        try folder.write("store.sqlite", bytes: bytes)
        let run = try folder.run(model: InputTests.model, Self.stage)
        #expect(run.status == status)
        #expect(try folder.bytes("store.sqlite") == bytes)
    }

    // MARK: Parameters

    static let parameters = """
        etl: 1
        params:
          in: { type: path, default: ./a.ndjson }
          text: { type: string, default: x }
          count: { type: int, default: 5 }
          flag: { type: bool, default: true }
          day: { type: date, default: "today - 1d" }
          span: { type: duration, default: 1h30m }
          token: { type: secret, from: ["file:secret.txt", "env:TOKEN"] }
        store: { at: store.sqlite, model: model.yaml, open: create }
        stages:
        - import: "${in}"
          into: Task
        - update: all
          entity: Task
          where: "id != $token"
          set: { title: "$text", size: "$count + $span" }
        - { export: Task, where: "$flag == YES AND $day < $now", to: out.csv }
        """

    @Test("reads parameters of every type from defaults, files, and the environment")
    func kinds() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        try folder.write("secret.txt", "hunter2\n")
        let run = try folder.run(Self.parameters)
        #expect(run.text == "")
        #expect(try folder.text("out.csv") == "id,size,title\n1,5405,x\n")
        try folder.write("sub/b.ndjson", #"{"id":"2"}"#)
        let other = try folder.run(
            Self.parameters,
            sets: ["in=b.ndjson", "text=it's \"${count}\"", "count=-1", "flag=true", "span=1s"],
            environment: ["TOKEN": "12345"], workingFolder: folder.path("sub"))
        #expect(other.text == "")
        try folder.write("secret.txt", "123\n")
        let short = try folder.run(Self.parameters)
        #expect(short.status == .configuration)
        #expect(
            short.text.contains(
                """
                error: The secret 'token' has fewer than 4 bytes (file:secret.txt), so it cannot be masked: \
                its text is part of other texts [spec.short-secret]
                  in: params.token
                  fix: use a longer secret
                """), "\(short.text)")
        #expect(
            try folder.text("out.csv")
                == "id,size,title\n1,0,\"it's \"\"${count}\"\"\"\n2,0,\"it's \"\"${count}\"\"\"\n")
    }

    @Test("reports all invalid parameters at once")
    func wrongParameters() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        let run = try folder.run(Self.parameters, sets: ["cont=1", "count=x", "token=abc"])
        #expect(run.status == .configuration)
        #expect(!run.text.contains("abc"))
        for code in ["spec.unknown-parameter", "spec.parameter-value", "spec.secret"] {
            #expect(run.text.contains(code), "\(run.text)")
        }
        let unset = try folder.run(Self.parameters)
        #expect(unset.status == .configuration)
        #expect(unset.text.contains("[spec.unset-parameter]"))
    }

    @Test("never prints a secret, wherever it is used")
    func secrets() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        for stages in [
            "[{ import: \"${token}.ndjson\", into: Task }]",
            "[{ import: \"${token}/*.ndjson\", into: Task }]",
            "[{ export: Task, to: \"model.yaml/${token}/out.csv\" }]",
            "[{ update: a, entity: Task, where: ALL, set: { size: \"$token\" } }]",
        ] {
            let run = try folder.run(
                """
                etl: 1
                params: { token: { type: secret, from: ["env:TOKEN"] } }
                store: { at: store.sqlite, model: model.yaml, open: create }
                stages: \(stages)
                """, environment: ["TOKEN": "hunter2"])
            #expect(run.status != .ok)
            #expect(!run.text.contains("hunter2"), "\(run.text)")
        }
        let exported = try folder.run(
            """
            etl: 1
            params: { token: { type: secret, from: ["env:TOKEN"] } }
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages: [{ export: Task, to: "${token}.csv" }]
            """, environment: ["TOKEN": "hunter2"])
        #expect(exported.lines == ["export export-task: 0 rows to ***.csv"])
    }
}
