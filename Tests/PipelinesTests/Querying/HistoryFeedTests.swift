import Foundation
import GraphStore
import Synchronization
import Testing

@testable import Pipelines

@Suite("Histories") struct HistoryFeedTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: String, optional: false, preserve-on-delete: true }
              size: Integer 32
              due: { type: Date, preserve-on-delete: true }
            relationships: { tags: { to: Tag, many: true, inverse: tasks } }
            unique: [[id]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
          Note:
            attributes: { text: String }
        """

    private let folder: Workspace
    private var store: String { folder.path("store.sqlite") }

    init() throws {
        folder = try Workspace()
    }

    /// Imports tasks as an author.
    private func load(
        _ records: String..., author: String = "nightly",
        history: String = ", history: { keep: 7d }"
    ) throws {
        try folder.write("t.ndjson", records.joined(separator: "\n"))
        try folder.write("model.yaml", Self.model)
        let run = try folder.run(
            """
            etl: 1
            store:
              { at: store.sqlite, model: model.yaml, open: create, author: \(author)\(history) }
            stages:
              - import: t.ndjson
                into: Task
                keep-if: "id != 'none'"
                link: { tags: { by: { name: "tags[*]" }, missing: create } }
            """)
        #expect(run.text == "")
    }

    private func delete() throws {
        let run = try folder.run(
            """
            etl: 1
            store: { at: store.sqlite, author: tidy }
            stages: [{ delete: Task, where: "id == 'T2'" }]
            """)
        #expect(run.text == "")
    }

    private struct Seen: Equatable {
        var status = Pipelines.ExitStatus.ok
        var lines: [String] = []
        var errors: [String] = []
        var notes: [String] = []
    }

    /// Returns the lines without their tokens and times.
    private func history(_ configure: (inout HistoryQuery) -> Void = { _ in }) throws -> Seen {
        var query = HistoryQuery(store: store, now: .now)
        configure(&query)
        let notes = Mutex<[String]>([])
        try? FileManager.default.removeItem(atPath: folder.path("lines"))
        let outcome = HistoryFeed(
            to: folder.path("lines"), note: { note in notes.withLock { $0.append(note) } }
        ).run(query)
        let text = folder.exists("lines") ? try folder.text("lines") : ""
        return Seen(
            status: outcome.status,
            lines: text.split(separator: "\n").map {
                String($0).replacing(#/"token":"[^"]*","time":"[^"]*",/#, with: "")
            },
            errors: outcome.errors.map {
                $0.replacing(folder.folder + "/", with: "").split(separator: "\n").first
                    .map(String.init) ?? ""
            },
            notes: notes.withLock { $0 }.map {
                $0.replacing(#/begins at [^;]*/#, with: "begins at TIME")
            })
    }

    private func token() throws -> String {
        _ = try history { $0.wantsToken = true }
        return try folder.text("lines").replacing("\n", with: "")
    }

    private static func line(
        _ author: String, _ change: String, _ entity: String, _ object: Int, _ key: String,
        properties: String = "null", tombstone: String = "null"
    ) -> String {
        #"{"author":"\#(author)","change":"\#(change)","entity":"\#(entity)","object":\#(object),"#
            + #""key":\#(key),"properties":\#(properties),"tombstone":\#(tombstone)}"#
    }

    @Test("prints a line per insert, update, and delete, with the object's key or tombstone")
    func lines() throws {
        try load(
            #"{"id":"T1","size":1,"tags":["home"]}"#, #"{"id":"T2","due":"2026-01-02"}"#)
        try load(#"{"id":"T1","size":2}"#)
        try delete()
        #expect(
            try history()
                == Seen(lines: [
                    Self.line("nightly", "insert", "Tag", 1, #"{"name":"home"}"#),
                    Self.line("nightly", "insert", "Task", 1, #"{"id":"T1"}"#),
                    // The object is deleted, and an insert stores none of its values.
                    Self.line("nightly", "insert", "Task", 2, "null"),
                    Self.line(
                        "nightly", "update", "Task", 1, #"{"id":"T1"}"#, properties: #"["size"]"#),
                    Self.line(
                        "tidy", "delete", "Task", 2, #"{"id":"T2"}"#,
                        tombstone: #"{"due":"2026-01-02T00:00:00Z","id":"T2"}"#),
                ]))
    }

    @Test("filters by authors and entities, and applies the limit")
    func choosing() throws {
        try load(#"{"id":"T1","tags":["home"]}"#, #"{"id":"T2"}"#)
        try delete()
        #expect(try history { $0.authors = ["tidy"] }.lines.count == 1)
        #expect(try history { $0.authors = ["tidy", "nightly"] }.lines.count == 4)
        #expect(try history { $0.entities = ["Tag"] }.lines.count == 1)
        #expect(try history { $0.entities = ["Tag", "Task"] }.lines.count == 4)
        #expect(try history { $0.limit = 2 }.lines.count == 2)
        #expect(try history { $0.limit = 0 }.lines == [])
        #expect(
            try history { $0.entities = ["Tsk"] }
                == Seen(
                    status: .usage,
                    errors: [
                        "--entity: error: The store has no entity 'Tsk'. Did you mean 'Task'?"
                            + " [query.unknown-entity]"
                    ]))
    }

    @Test(
        "the token of each line leads to the next lines, and --place stores the position",
        arguments: 1...5)
    func places(_ step: Int) throws {
        try load(#"{"id":"T1","tags":["home"]}"#, #"{"id":"T2"}"#)
        try load(#"{"id":"T1","size":2}"#)
        try delete()
        let all = try history().lines
        let tokens = try folder.text("lines").split(separator: "\n").map {
            String($0.split(separator: "\"")[3])
        }
        #expect(all.count == 5)
        for (number, token) in tokens.enumerated() {
            #expect(
                try history { $0.since = token }.lines == Array(all[(number + 1)...]))
        }
        #expect(tokens.last == (try token()))
        var read: [String] = []
        for _ in 0..<6 {
            let seen = try history {
                $0.placeFile = folder.path("place")
                $0.limit = step
            }
            #expect(seen.status == .ok)
            #expect(seen.lines.count <= step)
            read += seen.lines
        }
        #expect(read == all)
        try load(#"{"id":"T1","size":3}"#)
        #expect(try history { $0.placeFile = folder.path("place") }.lines.count == 1)
    }

    @Test("--place advances over filtered changes, so that the position does not expire")
    func unwantedChanges() throws {
        try load(#"{"id":"T1"}"#)
        #expect(
            try history {
                $0.placeFile = folder.path("place")
                $0.entities = ["Tag"]
            }.lines == [])
        #expect(try folder.text("place") == token() + "\n")
        try folder.write("place", "nonsense")
        #expect(
            try history { $0.placeFile = folder.path("place") }
                == Seen(
                    status: .usage,
                    errors: [
                        "--place: error: place does not hold a place in a history [history.place]"
                    ]))
    }

    @Test("filters by date, and a note reports purged changes")
    func dates() throws {
        try load(#"{"id":"T1"}"#)
        try load(#"{"id":"T1","size":2}"#)
        #expect(try history { $0.since = "today - 1d" }.lines.count == 2)
        #expect(try history { $0.since = "now + 1h" } == Seen())
        #expect(
            try history { $0.since = "someday" }
                == Seen(
                    status: .usage,
                    errors: [
                        "--since: error: 'someday' is neither a token nor a date [history.since]"
                    ]))
        let first = try HistoryReaderOfStore(store).tokens()[0]
        #expect(
            HistoryFeed.purge(store, before: first, now: .now).notes == [
                "1 transaction deleted from the history"
            ])
        #expect(
            try history { $0.since = "2020-01-01" }.notes
                == ["The history begins at TIME; what changed before has been purged"])
        #expect(
            HistoryFeed.purge(store, before: "now + 1h", now: .now).notes
                == ["1 transaction deleted from the history"])
        #expect(
            try history { $0.since = "2020-01-01" }.notes == ["The whole history has been purged"])
    }

    @Test("distinguishes invalid tokens, and a store without history explains how to keep one")
    func misfits() throws {
        try load(#"{"id":"T1"}"#)
        try load(#"{"id":"T1","size":2}"#)
        let token = try token()
        let uuid = token.split(separator: ":")[0]
        #expect(HistoryFeed.purge(store, before: token, now: .now).status == .ok)
        #expect(
            try history { $0.since = "\(uuid):1" }
                == Seen(
                    status: .dataError,
                    errors: [
                        "error: Changes after transaction 1 have been purged and not read"
                            + " [history.expired]"
                    ]))
        let foreign = Seen(
            status: .dataError,
            errors: [
                "error: The token is of another store, or of one that had this one's place, and not"
                    + " of store.sqlite [history.foreign]"
            ])
        #expect(try history { $0.since = "\(uuid):3" } == foreign)
        #expect(try history { $0.since = "\(UUID().uuidString):1" } == foreign)
        #expect(try history { $0.since = "\(uuid):\(UUID().uuidString):1" } == foreign)
        #expect(HistoryFeed.purge(store, before: "\(uuid):3", now: .now).status == .dataError)
        #expect(HistoryFeed.purge(store, before: "someday", now: .now).status == .usage)

        try FileManager.default.removeItem(atPath: store)
        #expect(
            try history()
                == Seen(
                    status: .noInput,
                    errors: [
                        "error: store.sqlite does not exist; `open: create` makes it when it is"
                            + " missing [store.missing]"
                    ]))
        try load(#"{"id":"T1"}"#, history: "")
        let off = Seen(
            status: .configuration,
            errors: ["error: store.sqlite keeps no history [history.off]"])
        #expect(try history() == off)
        #expect(try history { $0.wantsToken = true } == off)
        #expect(HistoryFeed.purge(store, before: "now", now: .now).status == .configuration)
    }

    @Test(
        "parses only valid positions",
        arguments: [
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B:4", true),
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B:4.17", true),
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B:A:0.17", true),
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B", false),
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B:", false),
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B:4.", false),
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B:4.1.1", false),
            ("1D47C664-EDD2-4076-91BC-252D082BCB8B:-1", false),
            ("2026-01-01T00:00:00Z", false), ("4", false), ("", false),
        ])
    func words(_ text: String, _ isOne: Bool) {
        #expect(HistoryPlace(text)?.text == (isOne ? text : nil))
    }

    @Test("reports deletions without a key once, and suggests how to keep the key")
    func keylessDeletions() throws {
        try load(#"{"id":"T1","tags":["home","work"]}"#, #"{"id":"T2"}"#)
        for entity in ["Task", "Tag"] {
            let run = try folder.run(
                """
                etl: 1
                store: { at: store.sqlite }
                stages: [{ delete: \(entity), where: ALL }]
                """)
            #expect(run.text == "")
        }
        func hints(_ entity: String) -> [String] {
            var query = HistoryQuery(store: store, now: .now)
            query.entities = [entity]
            return HistoryFeed(to: folder.path("lines")).run(query).notes
        }
        #expect(hints("Task") == [])
        #expect(
            hints("Tag") == [
                "Deletions of Tag have no key, because the model does not preserve Tag.name on"
                    + " deletion"
            ])
    }
}

/// The tokens of a store's transactions.
private struct HistoryReaderOfStore {
    let container: PersistentContainer

    init(_ path: String) throws {
        var options = StoreOptions()
        options.isReadOnly = true
        container = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
    }

    func tokens() throws -> [String] {
        try container.history().map { HistoryPlace($0.token).text }
    }
}
