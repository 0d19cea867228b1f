import Diagnostics
import Foundation
import Testing

@testable import Pipelines

@Suite("Inference") struct InferenceTests {
    @Test func filesThatReferToEachOtherBecomeALinkedModel() throws {
        let workspace = try Workspace()
        try workspace.write("categories.csv", "id,Name\n1,Home\n2,Work\n")
        try workspace.writeGzip(
            "tasks.ndjson.gz",
            """
            {"id":"T1","title":"a","categoryId":2,"tags":["x","y"],"description":"d"}
            {"id":"T2","title":"b","categoryId":null,"tags":[],"parentId":"T1"}

            """)
        let found = try InferenceCase(workspace, ["tasks.ndjson.gz", "categories.csv"])
        #expect(
            found.spec == """
                etl: 1
                name: import-data
                store:
                  at: data.sqlite
                  open: create
                  model:
                    # Nothing but a key is required: say `optional: false` of what every object must have.
                    model: 1
                    entities:
                      Categories:
                        # guessed from 2 records; each has a value of name
                        attributes:
                          id: { type: Integer 64, optional: false }
                          name: String
                        relationships:
                          tasks: { to: Tasks, many: true, inverse: category }
                        unique: [[id]]  # guessed: unique in 2 records
                      Tasks:
                        # guessed from 2 records; each has a value of title
                        attributes:
                          id: { type: String, optional: false }
                          title: String
                          tasksDescription: String
                        relationships:
                          category: { to: Categories, inverse: tasks }
                          tags: { to: Tags, many: true, inverse: tasks }
                          parent: { to: Tasks, inverse: children }
                          children: { to: Tasks, many: true, inverse: parent }
                        unique: [[id]]  # guessed: unique in 2 records
                      Tags:
                        attributes:
                          name: { type: String, optional: false }
                        relationships:
                          tasks: { to: Tasks, many: true, inverse: tags }
                        unique: [[name]]
                stages:
                  - import: categories
                    read:
                      files: categories.csv
                      as: csv
                    into: Categories
                    key: id
                    set:
                      name: Name
                  - import: tasks
                    read:
                      files: tasks.ndjson.gz
                      as: ndjson
                    into: Tasks
                    key: id
                    set:
                      tasksDescription: description
                    link:
                      category: { by: { id: categoryId } }  # guessed: every value is the id of some Categories
                      tags: { by: { name: "tags[*]" }, missing: create }  # guessed: looks like tags; a set keeps no order
                      parent: { by: { id: parentId } }  # guessed: every value is the id of some Tasks

                """)
        let tasks = try found.imported(["Tasks": "id, category.name, tags, parent.id, children"])
        #expect(
            tasks["Tasks"] as NSArray? == [
                [
                    "id": "T1", "category.name": "Work", "tags": ["x", "y"],
                    "parent.id": NSNull(), "children": ["T2"],
                ],
                [
                    "id": "T2", "category.name": NSNull(), "tags": [], "parent.id": "T1",
                    "children": [],
                ],
            ] as NSArray)
    }

    @Test func infersNoReferenceIfAValueMatchesNoKey() throws {
        let workspace = try Workspace()
        try workspace.write("categories.csv", "id\n1\n2\n")
        try workspace.write("tasks.csv", "id,categoryId\n1,1\n2,3\n")
        let found = try InferenceCase(workspace, ["categories.csv", "tasks.csv"])
        #expect(!found.spec.contains("link:"))
        #expect(try found.imported(["Tasks": "id, categoryId"])["Tasks"]?.count == 2)
    }

    @Test func keepsOneReferenceBetweenFilesThatReferToEachOther() throws {
        let workspace = try Workspace()
        try workspace.write("users.csv", "id,teamId\n1,1\n2,1\n")
        try workspace.write("teams.csv", "id,userId\n1,2\n")
        let found = try InferenceCase(workspace, ["users.csv", "teams.csv"])
        let objects = try found.imported(["Users": "id, team.id", "Teams": "id, userId"])
        #expect(
            objects["Users"] as NSArray? == [
                ["id": 1, "team.id": 1], ["id": 2, "team.id": 1],
            ] as NSArray)
        #expect(objects["Teams"] as NSArray? == [["id": 1, "userId": 2]] as NSArray)
    }

    @Test func listsOfKeysBecomeRelationships() throws {
        let workspace = try Workspace()
        try workspace.write("songs.ndjson", "{\"id\":7}\n{\"id\":8}\n{\"id\":9}\n")
        try workspace.write(
            "playlists.ndjson", "{\"id\":1,\"songIds\":[9,7]}\n{\"id\":2,\"songIds\":[]}\n")
        let found = try InferenceCase(workspace, ["playlists.ndjson", "songs.ndjson"])
        #expect(
            try found.imported(["Playlists": "id, songs"])["Playlists"] as NSArray? == [
                ["id": 1, "songs": [7, 9]], ["id": 2, "songs": []],
            ] as NSArray)
    }

    @Test(arguments: [
        (["id", "name"], "id"), (["name", "taskId"], "taskId"), (["email", "name"], "email"),
        (["title", "name"], "name"), (["customerId", "uuid"], "uuid"), (["key", "x"], "key"),
        (["title", "x"], nil),
    ]) func keyIsTheLikeliestUniqueField(fields: [String], key: String?) throws {
        let rows = ["1,2", "3,4"].joined(separator: "\n")
        let found = try InferenceCase("tasks.csv", fields.joined(separator: ",") + "\n\(rows)\n")
        #expect(found.spec.contains("rowkey()") == (key == nil))
        if let key { #expect(found.spec.contains("    key: \(key)\n")) }
        #expect(try found.imported(["Tasks": ""])["Tasks"]?.count == 2)
    }

    @Test func keepsRecordsWithARepeatedIDSeparate() throws {
        let found = try InferenceCase("tasks.csv", "id,name\n1,a\n1,b\n")
        // The name alone would merge objects with different IDs.
        #expect(!found.spec.contains("    key: name\n"))
        #expect(try found.imported(["Tasks": ""])["Tasks"]?.count == 2)
        let repeated = try InferenceCase("tasks.csv", "id,name\n1,a\n1,a\n")
        #expect(try repeated.imported(["Tasks": ""])["Tasks"]?.count == 2)
    }

    @Test func findsRecordsInsideAJSONDocument() throws {
        let found = try InferenceCase(
            "answer.json",
            #"""
            {"meta": {"pages": [1, 2], "links": [{"a": "]"}]}, "da.ta": {"items": [
              {"id": 1, "rows": [{"x": 1}, {"x": 2}, {"x": 3}]}, {"id": 2, "rows": []}]}}
            """#)
        #expect(
            found.spec.contains(
                #"      at: "$.da\\.ta.items[*]"  # guessed: values outside these "#
                    + "records are not imported\n"))
        #expect(
            try found.imported(["Items": ""])["Items"] as NSArray? == [
                ["id": 1, "rows": [["x": 1], ["x": 2], ["x": 3]]], ["id": 2, "rows": []],
            ] as NSArray)
    }

    @Test func importsADocumentWithoutRecordsAsOneRecord() throws {
        let found = try InferenceCase("config.json", #"{"name": "a", "ports": [1, 2]}"#)
        #expect(
            try found.imported(["Config": ""])["Config"] as NSArray?
                == [["name": "a", "ports": [1, 2]]] as NSArray)
    }

    @Test func detectsASemicolonDelimiterInCSV() throws {
        let found = try InferenceCase("tasks.csv", "id;name\n1;a,b\n")
        #expect(found.spec.contains("      delimiter: \";\"  # guessed\n"))
        #expect(
            try found.imported(["Tasks": ""])["Tasks"] as NSArray?
                == [["id": 1, "name": "a,b"]] as NSArray)
    }

    @Test func importsFilesWithTheSameColumnsIntoOneEntity() throws {
        let workspace = try Workspace()
        try workspace.write("tasks-1.csv", "id,n\n1,1\n")
        try workspace.write("tasks-2.csv", "id,n\n2,x\n")
        try workspace.write("tasks-3.csv", "code,other\nA,x\n")
        let found = try InferenceCase(workspace, ["tasks-1.csv", "tasks-2.csv", "tasks-3.csv"])
        let objects = try found.imported(["Tasks": "id, n", "Tasks2": "code, other"])
        #expect(
            objects["Tasks"] as NSArray?
                == [["id": 1, "n": "1"], ["id": 2, "n": "x"]] as NSArray)
        #expect(objects["Tasks2"] as NSArray? == [["code": "A", "other": "x"]] as NSArray)
    }

    @Test func infersFromTheFirstRecordsUpToTheLimit() throws {
        let workspace = try Workspace()
        try workspace.write("tasks.csv", "id\n1\n2\nx\n")
        let found = try InferenceCase(workspace, ["tasks.csv"], limit: 2)
        #expect(found.attributes == ["id: { type: Integer 64, optional: false }"])
        #expect(found.spec.contains("  # from the first 2 records alone\n  - import: tasks\n"))
    }

    @Test func notesReferencesWithTooManyValuesToCompare() throws {
        let workspace = try Workspace()
        try workspace.write("categories.csv", "id\n1\n2\n")
        try workspace.write("tasks.csv", "id,categoryId\n1,1\n2,2\n")
        let found = try InferenceCase(
            workspace, ["categories.csv", "tasks.csv"], valuesMax: 3)
        #expect(
            found.spec.contains(
                "    # 'categoryId' may refer to Categories: too many values to compare\n"))
        #expect(found.spec.contains("[[id]]  # guessed: unique in 1 values\n"))
        #expect(try found.imported(["Tasks": "id, categoryId"])["Tasks"]?.count == 2)
    }

    @Test func convertsUnusualFieldNamesToPropertyNames() throws {
        let found = try InferenceCase(
            "tasks.ndjson",
            #"""
            {"a.b":1,"a":{"b":2,"c[*]":3},"A":4,"in":5,"no":6,"x\\y":7,"self":8,"":9,"é\n":"z"}
            """#)
        let names = found.attributes.map { $0.prefix { $0 != ":" } }
        #expect(
            names == ["aB2", "aB", "aC", "a", "tasksIn", "\"no\"", "xY", "tasksSelf", "\"é\""])
        #expect(
            found.spec.contains("# a field without a name is left out, as no path can name it"))
        let object = try #require(try found.imported(["Tasks": ""])["Tasks"]?.first)
        #expect(
            object as NSDictionary == [
                "a": 4, "aB": 2, "aB2": 1, "aC": 3, "no": 6, "tasksIn": 5, "tasksSelf": 8, "xY": 7,
                "é": "z",
            ])
    }

    @Test func warnsOfUnreadableRecordsAndAllowsThemAsRejects() throws {
        let found = try InferenceCase("tasks.csv", "id,n\n1,2\n3\n4\n5\n6\n7,8\n9,10\n11,12\n")
        #expect(found.inference.warnings.map(\.severity) == Array(repeating: .warning, count: 4))
        #expect(
            found.inference.warnings.last?.message
                == "1 more record cannot be read; imports reject them")
        #expect(
            found.spec.contains(
                "rejects:\n  allow: 4  # number of rejected records when this file was written\n")
        )
    }

    @Test(arguments: [
        ("tasks.ndjson", "", 65), ("tasks.csv", "", 65), ("tasks.csv", "id\n", 65),
        ("tasks.json", "[1, 2]", 65), ("tasks.json", "{", 65), ("tasks.txt", "a b", 78),
    ]) func failsIfAFileHasNoRecordsOrAnUnknownFormat(file: String, text: String, status: Int32) {
        let failure = #expect(throws: RunFailure.self) { try InferenceCase(file, text) }
        #expect(failure?.status.rawValue == status)
    }

    @Test func skipsEmptyFilesWithAWarning() throws {
        let workspace = try Workspace()
        for name in ["nothing.csv", "nothing.ndjson", "tasks-1.csv"] {
            try workspace.write(name, "")
        }
        try workspace.write("header.csv", "id,name\n")
        try workspace.write("tasks-2.csv", "id,name\n1,a\n")
        let found = try InferenceCase(
            workspace,
            ["nothing.csv", "header.csv", "tasks-1.csv", "tasks-2.csv", "nothing.ndjson"])
        #expect(
            found.inference.warnings.map { warning in
                DiagnosticRenderer.text(warning).split(separator: "\n")[0]
                    .replacing(workspace.folder + "/", with: "")
            }
                == ["nothing.csv", "tasks-1.csv", "nothing.ndjson"].map {
                    $0
                        + ": warning: The file has no record [infer.empty]"
                })
        #expect(
            found.spec.contains(
                """
                      Header:
                        # no record to look at: all is guessed by the names of the columns
                        attributes:
                          id: { type: String, optional: false }  # no value in the data, so the type is \
                open
                          name: String  # no value in the data, so the type is open
                        unique: [[id]]  # guessed by its name

                """), "\(found.spec)")
        let objects = try found.imported(["Tasks": "", "Header": ""])
        #expect(objects["Tasks"] as NSArray? == [["id": 1, "name": "a"]] as NSArray)
        #expect(objects["Header"] as NSArray? == [] as NSArray)
    }

    @Test func inferredModelAcceptsLargerNumbersAndMissingValues() throws {
        let workspace = try Workspace()
        try workspace.write("tasks.csv", "id,size,title\n1,5,a\n2,7,b\n")
        let found = try InferenceCase(workspace, ["tasks.csv"])
        try workspace.write(
            "tasks.csv", "id,size,title\n3,9000000000,\n4,,c\n9000000001,-9000000000,d\n")
        #expect(
            try found.imported(["Tasks": ""])["Tasks"] as NSArray? == [
                ["id": 3, "size": 9_000_000_000, "title": NSNull()],
                ["id": 4, "size": NSNull(), "title": "c"],
                ["id": 9_000_000_001, "size": -9_000_000_000, "title": "d"],
            ] as NSArray)
    }

    @Test func joinTableFillsARelationshipWithoutDuplicates() throws {
        let workspace = try Workspace()
        try workspace.write("Playlist.csv", "PlaylistId,Name\n1,Rock\n2,Pop\n")
        try workspace.write("Track.csv", "TrackId,Name\n1,a\n2,b\n3,c\n")
        try workspace.write("PlaylistTrack.csv", "PlaylistId,TrackId\n1,3\n1,1\n2,3\n1,3\n")
        let found = try InferenceCase(
            workspace, ["PlaylistTrack.csv", "Playlist.csv", "Track.csv"])
        #expect(
            found.spec.hasSuffix(
                """
                  - import: playlist-track
                    read:
                      files: PlaylistTrack.csv
                      as: csv
                    into: Playlist
                    key: playlistId
                    set-only: true
                    set:
                      playlistId: PlaylistId
                    link:
                      track: { by: { trackId: TrackId }, many: add }  # guessed: every value is the \
                trackId of some Track

                """))
        for _ in 1...2 {
            let objects = try found.imported(["Playlist": "playlistId, name, track"])
            #expect(
                objects["Playlist"] as NSArray? == [
                    ["playlistId": 1, "name": "Rock", "track": [1, 3]],
                    ["playlistId": 2, "name": "Pop", "track": [3]],
                ] as NSArray)
        }
    }

    @Test func joinTableWithExtraColumnsBecomesAnEntity() throws {
        let workspace = try Workspace()
        try workspace.write("orders.csv", "id\n1\n2\n")
        try workspace.write("products.csv", "id\n1\n2\n")
        try workspace.write("lines.csv", "orderId,productId,count\n1,1,3\n1,2,4\n")
        let found = try InferenceCase(workspace, ["lines.csv", "orders.csv", "products.csv"])
        #expect(!found.spec.contains("set-only"))
        #expect(
            found.spec.contains(
                "    unique: [[order, product]]  # guessed: together unique in 2 records\n"))
        #expect(found.spec.contains("    key: [order, product]\n"))
        for _ in 1...2 {
            #expect(try found.imported(["Lines": "order, product, count"])["Lines"]?.count == 2)
        }
    }

    @Test(arguments: [
        ("ReportsTo", "reportsTo"), ("managerId", "manager"), ("parent_id", "parent"),
        ("reply to", "replyTo"),
    ]) func infersReferencesToTheSameEntity(field: String, name: String) throws {
        let found = try InferenceCase(
            "employees.csv", "EmployeeId,\(field)\n1,\n2,1\n3,1\n4,2\n")
        #expect(
            try found.imported(["Employees": "employeeId, \(name).employeeId"])["Employees"]
                as NSArray? == [
                    ["employeeId": 1, "\(name).employeeId": NSNull()],
                    ["employeeId": 2, "\(name).employeeId": 1],
                    ["employeeId": 3, "\(name).employeeId": 1],
                    ["employeeId": 4, "\(name).employeeId": 2],
                ] as NSArray)
    }

    @Test(arguments: [
        ("Task", "task"), ("OrderItems", "order-items"), ("People", "people"),
        ("URLPath", "url-path"), ("Größe", "records"), ("Record2024", "record2024"),
    ]) func convertsEntityNamesToStageNames(entity: String, name: String) {
        #expect(InferredNames.stage(ofEntity: entity) == name)
    }

    @Test func failsIfAFileIsMissing() throws {
        let workspace = try Workspace()
        let failure = #expect(throws: RunFailure.self) {
            try InferenceCase(workspace, ["tasks.csv"])
        }
        #expect(failure?.status == .noInput)
    }

    @Test func infersModelAndExportsFromAStore() throws {
        let workspace = try Workspace()
        try workspace.write("tasks.csv", "id,name\n1,a\n2,b\n")
        _ = try InferenceCase(workspace, ["tasks.csv"]).imported()
        let found = try InferenceCase(workspace, ["tasks.sqlite"])
        #expect(
            found.spec == """
                etl: 1
                name: export-all
                store:
                  at: tasks.sqlite
                  model:
                    model: 1
                    entities:
                      Tasks:
                        attributes:
                          id: { type: Integer 64, optional: false }
                          name: String
                        unique: [[id]]
                stages:
                  - export: Tasks
                    to: out/Tasks.ndjson

                """)
        _ = try found.imported()
        #expect(
            try workspace.text("out/Tasks.ndjson") == """
                {"id":1,"name":"a"}
                {"id":2,"name":"b"}

                """)
    }
}
