import Foundation
import Testing

/// Changes of all objects in one statement, which run for minutes unless they are interrupted.
@Suite("Failures: long statements", .serialized)
struct InterruptedChangeTests {
    private static let condition = (1...200).map { "note CONTAINS[cd] 'q\($0)'" }
        .joined(separator: " OR ")

    private static func folder() throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write(
            "model.yaml",
            """
            model: 1
            entities:
              Task:
                attributes:
                  id: Integer 32
                  note: String
                  size: Integer 32
            """)
        let note = String(repeating: "é\u{323}ж", count: 4_000)
        try folder.write(
            "tasks.ndjson", (0..<200).map { "{\"id\":\($0),\"note\":\"\(note)\"}\n" }.joined())
        try folder.writeSpec(
            "import.yaml",
            """
            - import: tasks
              read: { files: "${in}" }
              into: Task
              when-found: append
            """)
        try folder.writeSpec(
            "update.yaml",
            "- { update: sizes, entity: Task, where: \"\(condition)\", set: { size: 1 } }")
        try folder.writeSpec(
            "delete.yaml", "- { delete: Task, where: \"\(condition)\" }")
        try folder.writeSpec(
            "verify.yaml",
            "- verify: none\n  expect:\n    ? \"Task where \(condition)\"\n    : 0")
        let result = try folder.shell("exec \"$E\" run import.yaml")
        #expect(result.status == 0, "\(result.errors)")
        return folder
    }

    @Test(
        "a signal stops update, delete, and verify within 5 s",
        arguments: ["update", "delete", "verify"])
    func signals(stage: String) throws {
        let folder = try Self.folder()
        let result = try folder.shell(
            """
            \(InheritedSignal.byDefault.starter("TERM")) "$E" run \(stage).yaml & run=$!
            sleep 2
            s=$(date +%s%N)
            kill -TERM $run; wait $run; echo "status $?"
            e=$(date +%s%N)
            [ $(( (e - s) / 1000000 )) -lt 5000 ] && echo soon
            """)
        #expect(result.output == "status 143\nsoon\n")
        #expect(
            result.errors == """
                note: Stopped by a signal; nothing in the store was changed [run.interrupted]
                  fix: run it again to complete it

                """)
        #expect(try folder.query("SELECT count(*), count(ZSIZE) FROM ZTASK") == "200|0\n")
    }

    @Test("the time limit stops a long update")
    func timeLimit() throws {
        let folder = try Self.folder()
        let result = try folder.shell("exec timeout 20 \"$E\" run update.yaml --timeout 1s")
        #expect(result.status == 75)
        #expect(
            result.errors == """
                note: The time limit is reached; nothing in the store was changed [run.time-limit]
                  fix: run it again to complete it

                """)
    }
}
