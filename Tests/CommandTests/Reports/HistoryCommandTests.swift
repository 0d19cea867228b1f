import Foundation
import Testing

@Suite("etl history and etl preview", .serialized) struct HistoryCommandTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.write(
            "model.yaml",
            """
            model: 1
            entities:
              Task:
                attributes: { id: { type: String, optional: false }, size: Integer 32 }
                unique: [[id]]
            """)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: s.sqlite, model: model.yaml, open: create, history: { keep: 7d } }
            stages: [{ import: t.ndjson, into: Task }]
            """)
        try folder.write("t.ndjson", "{\"id\":\"a\",\"size\":1}\n{\"id\":\"b\",\"size\":\"x\"}\n")
    }

    @Test("preview writes records to stdout and rejects to stderr, and creates no file")
    func previews() throws {
        let seen = try folder.shell("\"$E\" preview spec.yaml; ls")
        #expect(
            seen.output == """
                {"stage":"import-t","file":"t.ndjson","record":1,"into":"Task",\
                "object":{"id":"a","size":1}}
                model.yaml
                spec.yaml
                t.ndjson

                """)
        #expect(seen.errors.hasPrefix("t.ndjson:2:19: warning: Rejected: "))
        #expect(try folder.shell("\"$E\" preview spec.yaml | head -n 0").status == 0)
        #expect(try folder.shell("\"$E\" preview spec.yaml --limit 0").status == 64)
        #expect(try folder.shell("\"$E\" preview spec.yaml --stage no").status == 64)
        #expect(try folder.shell("rm t.ndjson; \"$E\" preview spec.yaml").status == 66)
        #expect(try folder.shell("echo oops >> spec.yaml; \"$E\" preview spec.yaml").status == 78)
    }

    @Test(
        "--follow prints changes as they occur, saves its position, and stops on a signal",
        arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func following(_ signal: String, _ status: Int) throws {
        let seen = try folder.shell(
            """
            wait_for() {
                n=0
                while [ "$(wc -l < lines)" -lt $1 ] && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.1; done
            }
            sed -i '$d' t.ndjson
            "$E" run spec.yaml
            : > lines
            \(InheritedSignal.byDefault.starter(signal)) \
                "$E" history s.sqlite --follow --place place > lines & follow=$!
            wait_for 1
            echo '{"id":"a","size":2}' > t.ndjson
            "$E" run spec.yaml
            wait_for 2
            kill -\(signal) $follow
            wait $follow
            echo "status $?"
            cut -d, -f4,8 lines
            "$E" history s.sqlite --place place
            test "$(cat place)" = "$("$E" history s.sqlite --token)" && echo same
            """)
        #expect(seen.errors == "")
        #expect(
            seen.output == """
                status \(status)
                "change":"insert","properties":null
                "change":"update","properties":["size"]
                same

                """)
    }

    @Test(
        "each use of the history command exits with its status",
        arguments: [
            ("history s.sqlite", 0), ("history show s.sqlite", 0), ("history none.sqlite", 66),
            ("history t.ndjson", 74), ("history s.sqlite --since 2026 --place p", 64),
            ("history s.sqlite --token --follow", 64), ("history s.sqlite --limit -1", 64),
            ("history s.sqlite --place no/such/folder", 73),
            ("history purge s.sqlite", 64), ("history purge s.sqlite --before today", 0),
            ("history purge none.sqlite --before today", 66),
            ("history s.sqlite | head -n 0", 0),
        ])
    func exits(_ arguments: String, _ status: Int32) throws {
        let seen = try folder.shell(
            "sed -i '$d' t.ndjson; \"$E\" run spec.yaml && \"$E\" \(arguments)")
        #expect(seen.status == status, "\(seen.errors)")
    }
}
