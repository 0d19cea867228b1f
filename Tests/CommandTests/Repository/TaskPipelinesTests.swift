import Foundation
import Testing

@Suite("Task pipelines") struct TaskPipelinesTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func exported(_ file: String) throws -> [TaskRecord] {
        try jsonObjects(lines: workspace.contents(file)).map(TaskRecord.init(exported:))
    }

    /// Returns the tasks that the main job must create from the samples, computed without `etl`.
    private func expectedTasks() throws -> [TaskRecord] {
        try TaskRecord.tasks(
            of: jsonObjects(lines: workspace.contents("sample-data/tasks.ndjson.gz")))
    }

    // MARK: import-tasks

    @Test func mainJobExportsEveryFieldAndLink() throws {
        try workspace.runSilently("import-tasks")
        let tasks = try exported("out/tasks.ndjson.gz")
        let expected = try expectedTasks()
        #expect(tasks.count == 240)
        for (task, wanted) in zip(tasks, expected) { #expect(task == wanted) }
    }

    @Test func mainJobStoresObjectsAndLinks() throws {
        try workspace.runSilently("import-tasks")
        #expect(
            try workspace.sqlite(
                "out/tasks.sqlite",
                """
                PRAGMA integrity_check;
                SELECT Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT;
                SELECT count(*) FROM ZTASK WHERE ZTITLE LIKE '% (again)';
                SELECT group_concat(ZNAME, '/') FROM (SELECT ZNAME FROM ZCATEGORY
                    WHERE ZCOLORHEX IS NULL OR ZREMARK = '' ORDER BY ZNAME);
                """) == ["ok", "Category|0|8", "Tag|0|10", "Task|0|240", "12", "Errands/Home"])
        let expected = try expectedTasks()
        #expect(
            try workspace.sqlite(
                "out/tasks.sqlite",
                """
                SELECT count(ZCATEGORY), count(ZPARENT), (SELECT count(*) FROM Z_2TASKS) FROM ZTASK
                """) == [
                    "\(expected.filter { $0.category != nil }.count)|"
                        + "\(expected.filter { $0.parent != nil }.count)|"
                        + "\(expected.reduce(0) { $0 + $1.tags.count })"
                ])
    }

    @Test func mainJobCountsTheResultOfEveryRecord() throws {
        let lines = try workspace.stageLines("import-tasks")
        let open = try expectedTasks().filter { !$0.isCompleted && $0.priority >= 1 }.count
        #expect(
            lines == [
                "import categories: 8 read, 8 inserted",
                "import import-tags: 11 read, 10 inserted, 1 superseded",
                "import tasks: 253 read, 240 inserted, 12 superseded, 1 rejected, 1 blank line",
                "  rejects: out/rejects/import-tasks",
                "export export-task: 240 rows to out/tasks.ndjson.gz",
                "export open-tasks: \(open) rows to out/open-tasks.csv",
            ])
    }

    @Test func mainJobStoresTheRejectedRecordWithItsReason() throws {
        try workspace.runSilently("import-tasks")
        let runs = try FileManager.default.contentsOfDirectory(
            atPath: workspace.path("out/rejects"))
        let folder = "out/rejects/\(try #require(runs.first))"
        let record = try workspace.contents("\(folder)/tasks.tasks.ndjson")
        #expect(runs.count == 1)
        #expect(record.hasSuffix("\"title\":\"The line ends before the record does\n"))
        let reasons = try workspace.contents("\(folder)/tasks.tasks.ndjson.why.ndjson")
        let reason = try #require(jsonObjects(lines: reasons).first)
        #expect(reason["code"] as? String == "parse")
        #expect(reason["detail"] as? String == "json.incomplete")
        #expect(reason["line"] as? Int == 102)
        #expect((reason["file"] as? String)?.hasSuffix("sample-data/tasks.ndjson.gz") == true)
    }

    @Test func mainJobChangesNothingTheSecondTime() throws {
        try workspace.runSilently("import-tasks")
        let store = try Data(contentsOf: URL(filePath: workspace.path("out/tasks.sqlite")))
        let snapshot = try Data(contentsOf: URL(filePath: workspace.path("out/tasks.ndjson.gz")))
        let lines = try workspace.stageLines("import-tasks")
        #expect(
            Array(lines.prefix(3)) == [
                "import categories: 8 read, 8 unchanged",
                "import import-tags: 11 read, 10 unchanged, 1 superseded",
                "import tasks: 253 read, 240 unchanged, 12 superseded, 1 rejected, 1 blank line",
            ])
        #expect(
            try Data(contentsOf: URL(filePath: workspace.path("out/tasks.sqlite"))) == store)
        #expect(
            try Data(contentsOf: URL(filePath: workspace.path("out/tasks.ndjson.gz"))) == snapshot)
        #expect(try workspace.sqlite("out/tasks.sqlite", "PRAGMA integrity_check") == ["ok"])
    }

    @Test func exportsOpenTasksAsAFilteredSortedTable() throws {
        try workspace.runSilently("import-tasks")
        let table = try workspace.contents("out/open-tasks.csv")
        #expect(
            table.hasPrefix("id,title,notes,priority,dueOn,category.name,tags.name\n"))
        // Quoted line breaks start new lines; every record starts with its key.
        let ids = table.matches(of: #/(?m)^([0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}),/#)
            .map { String($0.1) }
        let places = try categoryPlaces()
        let wanted = try expectedTasks().filter { !$0.isCompleted && $0.priority >= 1 }
            .sorted { left, right in
                if left.priority != right.priority { return left.priority > right.priority }
                // Missing values sort first, as in SQLite.
                let place = (
                    left.category.flatMap { places[$0] } ?? -1,
                    right.category.flatMap { places[$0] } ?? -1
                )
                if place.0 != place.1 { return place.0 < place.1 }
                let made = (left.createdAt ?? .distantPast, right.createdAt ?? .distantPast)
                return made.0 != made.1 ? made.0 > made.1 : left.id < right.id
            }
        #expect(ids == wanted.map(\.id))
    }

    private func categoryPlaces() throws -> [String: Int] {
        let rows = try workspace.sqlite(
            "out/tasks.sqlite", "SELECT ZSORTORDER, ZNAME FROM ZCATEGORY WHERE ZSORTORDER NOTNULL")
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row -> (String, Int)? in
                let parts = row.split(separator: "|", maxSplits: 1)
                return Int(parts[0]).map { (String(parts[1]), $0) }
            })
    }

    // MARK: seed-test-store

    @Test func seedImportsTheNestedDocumentAndTheTable() throws {
        try workspace.runSilently("seed-test-store")
        try workspace.runSilently(
            "export-snapshot", "--set", "store=\(workspace.path("out/test-store.sqlite"))",
            "--set", "to=\(workspace.path("out/test-snapshot"))")
        let document = try JSONSerialization.jsonObject(
            with: Data(workspace.contents("sample-data/tasks.json").utf8))
        let data = (document as? [String: Any])?["data"] as? [String: Any]
        let expected = try TaskRecord.tasks(of: data?["items"] as? [[String: Any]] ?? [])
        let snapshot = try JSONSerialization.jsonObject(
            with: Data(workspace.contents("out/test-snapshot/tasks.json").utf8))
        let tasks = try (snapshot as? [[String: Any]] ?? []).map(TaskRecord.init(exported:))
        #expect(expected.count == 80)
        #expect(tasks.count == 140)
        let keys = Set(expected.map(\.id))
        for (task, wanted) in zip(tasks.filter { keys.contains($0.id) }, expected) {
            #expect(task == wanted)
        }
        #expect(
            try workspace.sqlite(
                "out/test-store.sqlite",
                """
                PRAGMA integrity_check;
                SELECT count(*) FROM ZCATEGORY; SELECT count(*) FROM ZTAG;
                """) == ["ok", "8", "10"])
    }

    @Test func generatedStoreIsTheSameEachTime() throws {
        var exports: [String] = []
        for _ in 0..<2 {
            try workspace.runSilently("generate-test-store", "--set", "rows=50")
            exports.append(try workspace.contents("out/generated.ndjson"))
        }
        #expect(exports[0] == exports[1])
        #expect(exports[0].split(separator: "\n").count == 50)
    }

    @Test func tableSampleKeepsNullsNewlinesAndLists() throws {
        try workspace.runSilently("seed-test-store")
        // The first tasks of the table carry one note of each kind.
        #expect(
            try workspace.sqlite(
                "out/test-store.sqlite",
                """
                SELECT count(*) FROM ZTASK WHERE ZNOTES = '';
                SELECT count(*) FROM ZTASK WHERE ZNOTES = 'Windows line' || char(13, 10) || 'end';
                SELECT count(*) FROM ZTASK WHERE ZNOTES = 'First line' || char(10) || 'second line';
                """
            ).allSatisfy { (Int($0) ?? 0) > 0 })
        let table = try workspace.contents("sample-data/tasks.csv")
        #expect(table.hasPrefix("id,title,notes,done,created,"))
        #expect(table.contains("\r\n"))
        let categories = try Data(
            contentsOf: URL(filePath: workspace.path("sample-data/categories.csv")))
        #expect(categories.starts(with: [0xEF, 0xBB, 0xBF]))
    }

    @Test func secondSeedReplacesTheStoreWithoutLeftovers() throws {
        try workspace.runSilently("seed-test-store")
        try workspace.runSilently("seed-test-store")
        let left = try FileManager.default.contentsOfDirectory(atPath: workspace.path("out"))
        #expect(left.filter { $0.contains("etl-new") || $0.hasSuffix("-wal") } == [])
        #expect(
            try workspace.sqlite(
                "out/test-store.sqlite",
                "PRAGMA integrity_check; SELECT count(*), max(Z_PK) FROM ZTASK")
                == ["ok", "140|140"])
    }

    // MARK: cleanup-completed

    @Test func cleanupDeletesOldCompletedTasksAndTheirSubtasks() throws {
        try workspace.runSilently("import-tasks")
        let before = try expectedTasks()
        let cutoff = try Date("2026-06-01T00:00:00Z", strategy: .iso8601)
        let old = before.filter { task in
            task.isCompleted && task.completedAt.map { $0 < cutoff } ?? false
        }
        var gone = Set(old.map(\.id))
        while true {
            let more = before.filter { task in
                !gone.contains(task.id) && task.parent.map { gone.contains($0) } ?? false
            }
            if more.isEmpty { break }
            gone.formUnion(more.map(\.id))
        }
        let left = before.filter { !gone.contains($0.id) }
        let calmed = left.filter { $0.isCompleted && $0.priority > 0 }.count
        #expect(!old.isEmpty && gone.count > old.count && calmed > 0)
        #expect(
            try workspace.stageLines("cleanup-completed", "--set", "cutoff=2026-06-01") == [
                "export archive: \(old.count) rows to out/archive/tasks.ndjson.gz",
                "delete old-completed: \(old.count) matched, \(old.count) deleted, "
                    + "\(gone.count - old.count) more by cascade",
                "update calm-down: \(calmed) matched, \(calmed) updated",
            ])
        #expect(try exported("out/archive/tasks.ndjson.gz") == old)
        try workspace.runSilently("export-snapshot")
        let snapshot = try JSONSerialization.jsonObject(
            with: Data(workspace.contents("out/snapshot/tasks.json").utf8))
        let tasks = try (snapshot as? [[String: Any]] ?? []).map(TaskRecord.init(exported:))
        let wanted = left.map { task in
            var task = task
            if task.isCompleted { task.priority = 0 }
            task.subtasks.removeAll { gone.contains($0) }
            return task
        }
        #expect(tasks == wanted)
        #expect(
            try workspace.sqlite(
                "out/tasks.sqlite",
                """
                PRAGMA integrity_check;
                SELECT count(*) FROM Z_2TASKS WHERE Z_3TASKS NOT IN (SELECT Z_PK FROM ZTASK);
                """) == ["ok", "0"])
    }

    @Test func cleanupChangesNothingTheSecondTime() throws {
        try workspace.runSilently("import-tasks")
        try workspace.runSilently("cleanup-completed", "--set", "cutoff=2026-06-01")
        let versions = try workspace.versions("out/tasks.sqlite")
        #expect(
            try workspace.stageLines("cleanup-completed", "--set", "cutoff=2026-06-01") == [
                "export archive: 0 rows to out/archive/tasks.ndjson.gz",
                "delete old-completed: 0 matched, 0 deleted",
                "update calm-down: 0 matched, 0 updated",
            ])
        #expect(try workspace.versions("out/tasks.sqlite") == versions)
    }

    @Test func cleanupOverItsLimitChangesNothing() throws {
        try workspace.runSilently("import-tasks")
        let versions = try workspace.versions("out/tasks.sqlite")
        let spec = try workspace.contents("pipelines/cleanup-completed.yaml")
        try workspace.write(
            spec.replacing("at-most: 50000", with: "at-most: 5"),
            to: "pipelines/cleanup-completed.yaml")
        let result = try workspace.run("cleanup-completed", "--set", "cutoff=2026-06-01")
        #expect(result.status == 65)
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.contains("and at most"))
        #expect(try workspace.versions("out/tasks.sqlite") == versions)
    }

    // MARK: export-snapshot

    @Test func snapshotShowsCategoriesAndTagsAsTables() throws {
        try workspace.runSilently("import-tasks")
        try workspace.runSilently("export-snapshot")
        #expect(
            try workspace.contents("out/snapshot/categories.csv") == """
                name,colorHex,remark,sortOrder
                Cafe\u{301},#8D6E63,The accent is a mark of its own,
                "Café, Crème",#6D4C41,"Both accents composed, and a comma",4
                Errands,,,3
                Home,#43A047,"",2
                "The ""Big"" One",#E53935,"quotes: ""a"", 'b'",6
                Work,#1E88E5,Things with a deadline,1
                לימודים,#FDD835,Right to left,7
                🏕️ Outdoors,#00897B,"two lines,
                in one field",8

                """)
        #expect(
            try Array(workspace.contents("out/snapshot/tags.tsv").utf8)
                == Array(
                    """
                    name\tremark
                    a.b\ta dot
                    garden\t
                    nai\u{308}ve\tTwo scalars: another key
                    na\u{EF}ve\tOne scalar for i with diaeresis
                    phone\t""
                    reading\tLonger texts
                    urgent\tSaid twice; the later one counts
                    waiting\t
                    דחוף\turgent
                    🔥 hot\tAn emoji in a key

                    """.utf8))
    }

    @Test func snapshotOfEqualDataHasEqualBytes() throws {
        try workspace.runSilently("import-tasks")
        try workspace.runSilently("export-snapshot")
        try workspace.runSilently("export-snapshot", "--set", "to=\(workspace.path("again"))")
        for file in ["categories.csv", "tags.tsv", "tasks.json", "tasks.csv.gz"] {
            #expect(
                FileManager.default.contentsEqual(
                    atPath: workspace.path("out/snapshot/\(file)"),
                    andPath: workspace.path("again/\(file)")), "\(file)")
        }
    }
}
