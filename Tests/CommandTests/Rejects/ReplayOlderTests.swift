import Foundation
import Testing

/// Replays of one of several runs: the run that a spec selects, and what an older run may
/// overwrite.
@Suite("Replays of older runs") struct ReplayOlderTests {
    private func folder() throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.writeSpec(
            "spec.yaml", "- { import: tasks, read: { files: tasks.ndjson }, into: Task }",
            top: "rejects: { allow: 1 }")
        return folder
    }

    /// Runs the spec on records, and returns its folder of rejects.
    private func run(_ folder: FailureFolder, _ records: String) throws -> String {
        let before = Set(folder.names("rejects"))
        try folder.write("tasks.ndjson", records)
        #expect(try folder.shell("exec \"$E\" run --restart spec.yaml").status == 0)
        try folder.shell("sleep 1")
        return folder.names("rejects").first { !before.contains($0) } ?? ""
    }

    @Test("a replay prints the folder of its rejects as the run does")
    func shownFolder() throws {
        let folder = try folder()
        let run = try run(folder, "{\"id\":1,\"size\":\"x\"}\n")
        for name in ["spec.yaml", "rejects/\(run)", run] {
            let replay = try folder.shell("exec \"$E\" replay \(name) -v --allow-rejects 0")
            #expect(replay.status == 65)
            #expect(replay.errors.contains("\n  rejects: rejects/\(run)\n"), "\(replay.errors)")
            #expect(
                replay.errors.contains(
                    "  fix: correct the records in rejects/\(run), or fix the spec,"),
                "\(replay.errors)")
        }
    }

    @Test("a replay that updates objects after a later run warns with the number of objects")
    func older() throws {
        let folder = try folder()
        let first = try run(folder, "{\"id\":1,\"size\":\"x\",\"title\":\"old\"}\n{\"id\":2}\n")
        _ = try run(folder, "{\"id\":1,\"size\":5,\"title\":\"new\"}\n")
        let file = "rejects/\(first)/tasks.tasks.ndjson"
        try folder.write(file, folder.text(file).replacing("\"x\"", with: "1"))
        let replay = try folder.shell("exec \"$E\" replay spec.yaml")
        #expect(replay.status == 0)
        #expect(
            replay.errors.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN") == """
                warning: 1 object was updated with records of the run RUN, which is older than the last \
                run, RUN [replay.older]
                  fix: check their values; if the last run had newer ones, import its input again

                """)
    }

    @Test("a copy of the rejects of an unfinished run is not mistaken for those of a killed run")
    func copied() throws {
        let folder = try folder()
        try folder.write("tasks.ndjson", "{\"id\":1,\"size\":\"x\"}\n{\"id\":2,\"size\":\"y\"}\n")
        #expect(try folder.shell("exec \"$E\" run spec.yaml").status == 65)
        let run = try #require(folder.names("rejects").first)
        let replay = try folder.shell(
            "cp -r rejects/\(run) rejects/copy; \"$E\" replay rejects/copy")
        #expect(replay.status == 75)
        #expect(
            replay.errors == """
                error: rejects/copy does not have the name of its run, which is unfinished: \(run) \
                [replay.unfinished]
                  fix: replay the folder with that name; if this is it, restore its name

                """)
    }

    @Test("a replay of the last run does not warn")
    func newest() throws {
        let folder = try folder()
        _ = try run(folder, "{\"id\":1}\n")
        let rejects = try run(folder, "{\"id\":1,\"size\":\"x\"}\n")
        let file = "rejects/\(rejects)/tasks.tasks.ndjson"
        try folder.write(file, folder.text(file).replacing("\"x\"", with: "1"))
        #expect(try folder.shell("exec \"$E\" replay spec.yaml").errors == "")
        #expect(try folder.query("SELECT ZSIZE FROM ZTASK").contains("1"))
    }

    @Test("the replay of a spec uses the last of its runs that still has rejects")
    func lastWithRejects() throws {
        let folder = try folder()
        let first = try run(folder, "{\"id\":1,\"size\":\"x\"}\n{\"id\":8}\n")
        let second = try run(folder, "{\"id\":2,\"size\":\"y\"}\n{\"id\":9}\n")
        _ = try run(folder, "{\"id\":3}\n")
        func correct(_ name: String, _ text: String) throws {
            let file = "rejects/\(name)/tasks.tasks.ndjson"
            try folder.write(file, folder.text(file).replacing(text, with: "1"))
        }
        func ids() throws -> String {
            try folder.shell(
                "exec \"$E\" fetch store.sqlite Task --where 'size == 1' --fields id --sort id"
            ).output
        }
        // The replay of the first run by its name is now the last replay.
        try correct(second, "\"y\"")
        #expect(
            try folder.shell("exec \"$E\" replay rejects/\(first) --allow-rejects 1").status == 0)
        #expect(try folder.shell("sleep 1; exec \"$E\" replay spec.yaml").status == 0)
        #expect(try ids() == "{\"id\":2}\n")
        try correct(first, "\"x\"")
        #expect(try folder.shell("sleep 1; exec \"$E\" replay spec.yaml").status == 0)
        #expect(try ids() == "{\"id\":1}\n{\"id\":2}\n")
        // No rejects remain.
        let none = try folder.shell("exec \"$E\" replay spec.yaml")
        #expect(none.status == 0 && none.errors == "")
    }

    @Test("the replay of a spec without rejects fails with 66")
    func noRejects() throws {
        let folder = try folder()
        _ = try run(folder, "{\"id\":1}\n")
        let none = try folder.shell("exec \"$E\" replay spec.yaml")
        #expect(none.status == 66)
        #expect(
            none.errors == """
                error: No run of spec.yaml has rejects that are left [replay.missing]
                  fix: `etl report spec.yaml` shows the last run

                """)
    }
}
