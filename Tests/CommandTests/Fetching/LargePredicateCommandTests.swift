import Testing

/// Predicates of any size on the command line and in specs.
@Suite("Large predicates, lists, and edge cases of the language")
struct LargePredicateCommandTests {
    private static func folder() throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.writeTasks(50)
        let result = try folder.run("")
        #expect(result.status == 0, "\(result.errors)")
        return folder
    }

    @Test("check and run accept a predicate of 3,000 terms", arguments: ["AND", "OR"])
    func terms(word: String) throws {
        let folder = try Self.folder()
        let terms = (0..<3_000).map { "(size != \($0 + 7000) OR title == 'x\($0)')" }
        let condition = terms.joined(separator: " \(word) ")
        try folder.writeSpec(
            "update.yaml",
            "- { update: sizes, entity: Task, where: \"\(condition)\", set: { size: 1 } }")
        let check = try folder.shell("exec \"$E\" check update.yaml")
        #expect(check.status == 0, "\(check.errors)")
        let result = try folder.shell("exec \"$E\" run update.yaml")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try folder.query("SELECT count(*) FROM ZTASK WHERE ZSIZE = 1") == "50\n")
    }

    @Test("check reports a predicate that is nested too deeply, with its location")
    func depth() throws {
        let folder = try Self.folder()
        let sum = (0..<500).map { _ in "size" }.joined(separator: " + ")
        try folder.writeSpec("delete.yaml", "- { delete: Task, where: \"\(sum) > 1\" }")
        let check = try folder.shell("exec \"$E\" check delete.yaml")
        #expect(check.status == 78)
        #expect(
            check.errors.contains("delete.yaml:10:26: error: The predicate is nested too deeply"))
    }

    @Test("repeated --set flags of one name form a list for IN")
    func fetchList() throws {
        let folder = try Self.folder()
        func fetch(_ text: String) throws -> String {
            let result = try folder.shell(
                "exec \"$E\" fetch store.sqlite Task --fields id --format csv \(text)")
            return result.output + result.errors
        }
        #expect(
            try fetch("--where 'id IN $i' --set i=3 --set i=7 --set i=99 --sort id")
                == "id\n3\n7\n")
        #expect(try fetch("--where 'id IN $i' --set i=3") == "id\n3\n")
        #expect(
            try fetch("--where 'owner.name IN $n AND id < 9' --set n=p1 --set n=p4 --sort id")
                == "id\n1\n4\n")
        #expect(
            try fetch("--where 'id == $i' --set i=3 --set i=7").hasPrefix(
                "--where: error: A number cannot be compared with a list"))
    }

    @Test("only a parameter of the type list takes several values")
    func parameterList() throws {
        let folder = try Self.folder()
        try folder.writeSpec(
            "delete.yaml",
            """
            - { delete: Task, where: "id IN $ids OR owner.name IN $names" }
            """)
        let text = folder.text("delete.yaml").replacing(
            "params:\n",
            with: "params:\n  ids: { type: list, default: [\"1\", \"2\"] }\n"
                + "  names: { type: list, default: p7 }\n  one: { type: int, default: 1 }\n")
        try folder.write("delete.yaml", text)
        let twice = try folder.shell("exec \"$E\" run delete.yaml --set one=1 --set one=2")
        #expect(twice.status == 64)
        #expect(
            twice.errors == """
                delete.yaml:5:3: error: --set gives 'one' 2 times, and only a parameter of the type \
                list takes several values [spec.set]
                  in: params.one
                  fix: give it once, or declare `type: list`

                """)
        let result = try folder.shell(
            "exec \"$E\" run delete.yaml --set ids=3 --set ids=4 --set ids=5")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try folder.query("SELECT group_concat(ZID) FROM ZTASK WHERE ZID < 9") == "0,1,2,6,8\n")
    }

    @Test("operators of NSPredicate work in SQL and over records")
    func corners() throws {
        let folder = try Self.folder()
        func count(_ condition: String) throws -> String {
            let result = try folder.shell(
                "exec \"$E\" fetch store.sqlite Task --count --where \"\(condition)\"")
            return (result.output + result.errors).split(separator: "\n").first.map(String.init)
                ?? ""
        }
        #expect(try count("id & 1 == 1") == "25")
        #expect(try count("id ^ 1 == 4 OR id | 1 == 9 OR id << 1 == 20 OR id >> 3 == 6") == "6")
        #expect(try count("2 ** id == 8 OR ~id == -6") == "2")
        #expect(try count("id < 6 AND 'task' IN title AND title.length == 6") == "1")
        #expect(try count("owner.name.length == 2 AND owner.name IN 'p1p2p3'") == "3")
        #expect(
            try count("id & 1.5 == 1")
                == "--where: error: '&' takes whole numbers, not fractions [predicate.type]")
        try folder.write(
            "tasks.csv", "id,title,size\n1,abc,5\n2,abcde,6\n3,,7\n4,ab,\n")
        try folder.writeSpec(
            "records.yaml",
            """
            - import: tasks
              read: { files: tasks.csv }
              into: Task
              keep-if: "title.length > 2 AND size & 1 == 1 OR size < 2.5 OR nil < 2.5 OR 'b' IN title AND size ** 2 == 36"
            """,
            open: "replace")
        let result = try folder.shell("exec \"$E\" run records.yaml --set store=new.sqlite")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try folder.query("SELECT group_concat(ZID) FROM ZTASK", store: "new.sqlite") == "1,2\n")
    }
}
