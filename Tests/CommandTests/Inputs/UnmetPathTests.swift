import Testing

/// Paths of the spec that no record has, wherever the spec names them.
@Suite("Paths that no record has") struct UnmetPathTests {
    private static let drafts = "{\"id\":1,\"status\":\"draft\"}\n{\"id\":2,\"status\":\"ok\"}\n"

    @Test(
        "`unmet` covers the paths of `keep-if` and `expr`", arguments: ["ignore", "warn", "stop"])
    func filterAndExpression(policy: String) throws {
        let place = try DriftPlace()
        try place.write("d.ndjson", Self.drafts)
        let result = try place.run(
            """
            { import: d.ndjson, into: Task, unmet: \(policy), keep-if: "statsu != 'draft'", \
            set: { title: { expr: "uppercase(statsu)" } } }
            """)
        #expect(result.status == (policy == "stop" ? 65 : 0))
        let warning = """
            s.yaml:5:107: warning: No record has 'statsu'. Did you mean 'status'? [import.unmet-path]
              in: stages[0].set.title.expr

            """
        let failure = """
            s.yaml:5:107: error: No record has 'statsu'. Did you mean 'status'? [import.unmet-path]
              in: stages[0].set.title.expr
              stage: s.yaml:5:5 import import-d

            """
        let text = policy == "warn" ? warning : policy == "stop" ? failure : ""
        #expect(result.standardError.replacing(#/5:10\d/#, with: "5:107") == text)
        #expect(
            try place.rows("SELECT count(*) FROM ZTASK") == [policy == "stop" ? "0" : "2"])
    }

    @Test(
        "warns of an unmet path in `keep-if`, whatever the filter keeps",
        arguments: [("statsu != 'draft'", "2"), ("statsu == 'ok'", "0")])
    func filter(keepIf: String, kept: String) throws {
        let place = try DriftPlace()
        try place.write("d.ndjson", Self.drafts)
        let result = try place.run(
            "{ import: d.ndjson, into: Task, keep-if: \"\(keepIf)\", set: { title: status } }")
        #expect(result.status == 0)
        #expect(
            result.standardError == """
                s.yaml:5:46: warning: No record has 'statsu'. Did you mean 'status'? [import.unmet-path]
                  in: stages[0].keep-if

                """)
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == [kept])
    }

    @Test(
        "checks every location that can contain a path",
        arguments: [
            // Lists: the name after them, and a list in a list.
            (
                #"{"id":1,"tags":[{"name":"a"}]}"#,
                "link: { tags: { by: { name: \"tags[*].nam\" }, missing: create } }",
                "'tags[*].nam'. Did you mean 'tags[*].name'?"
            ),
            (
                #"{"id":1,"tags":[]}"# + "\n" + #"{"id":2,"tags":[{"name":"a"},null]}"#,
                "link: { tags: { by: { name: \"tags[*].nam\" }, missing: create } }",
                "'tags[*].nam'. Did you mean 'tags[*].name'?"
            ),
            (
                #"{"id":1,"tags":[{"word":{"name":"a"}},{"word":null}]}"#,
                "link: { tags: { by: { name: \"tags[*].word.nam\" }, missing: create } }",
                "'tags[*].word.nam'. Did you mean 'tags[*].word.name'?"
            ),
            (
                #"{"id":1,"lists":[{"tags":["a"]},{"tags":["b"]}]}"#,
                "link: { tags: { by: { name: \"lists[*].tgas[*]\" }, missing: create } }",
                "'lists[*].tgas[*]'. Did you mean 'lists[*].tags'?"
            ),
            (
                #"{"id":1,"lists":[{"tags":[{"name":"a"}]}]}"#,
                "link: { tags: { by: { name: \"lists[*].tgas[*].name\" }, missing: create } }",
                "'lists[*].tgas[*].name'"
            ),
            (
                #"{"id":1,"lists":[{"tags":[{"name":"a"}]}]}"#,
                "link: { tags: { by: { name: \"lists[*].tags[*].nmae\" }, missing: create } }",
                "'lists[*].tags[*].nmae'. Did you mean 'lists[*].tags[*].name'?"
            ),
            // Null before the name.
            (
                #"{"id":1,"owner":null}"# + "\n" + #"{"id":2,"owner":{"name":"o"}}"#,
                "set: { title: owner.nam }",
                "'owner.nam'. Did you mean 'owner.name'?"
            ),
            // Expressions: of a link, in a nested object, and the length of a string.
            (
                #"{"id":1,"boss":"o"}"#,
                "link: { owner: { by: { name: { expr: \"uppercase(bos)\" } }, missing: create } }",
                "'bos'. Did you mean 'boss'?"
            ),
            (
                #"{"id":1,"tags":[{"word":"a"}]}"#,
                """
                link: { tags: { each: "tags[*]", set: { name: { expr: "TERNARY(wrod == 'x', 'y', word)" } } } }
                """,
                "'tags[*].wrod'. Did you mean 'tags[*].word'?"
            ),
            (
                #"{"id":1,"name":"abc"}"#, "keep-if: \"nmae.length > 2 OR id == 1\"",
                "'nmae'. Did you mean 'name'?"
            ),
            (
                #"{"id":1,"name":"abc"}"#, "set: { size: { expr: \"nmae.length\" } }",
                "'nmae'. Did you mean 'name'?"
            ),
        ])
    func places(records: String, keys: String, named: String) throws {
        let place = try DriftPlace()
        try place.write("d.ndjson", records + "\n")
        let result = try place.run("{ import: d.ndjson, into: Task, unmet: stop, \(keys) }")
        #expect(result.status == 65)
        let lines = result.standardError.split(separator: "\n")
        #expect(
            lines.first?.replacing(#/^s\.yaml:5:\d+: /#, with: "")
                == "error: No record has \(named) [import.unmet-path]", "\(result)")
        #expect(lines.count == 3)
    }

    @Test(
        "accepts a path that one record has, or whose parent is always empty or null",
        arguments: [
            (
                #"{"id":1,"tags":[]}"#,
                "link: { tags: { by: { name: \"tags[*].nam\" }, missing: create } }"
            ),
            (
                #"{"id":1,"tags":null}"#,
                "link: { tags: { by: { name: \"tags[*].nam\" }, missing: create } }"
            ),
            (
                #"{"id":1,"tags":[null]}"#,
                "link: { tags: { by: { name: \"tags[*].nam\" }, missing: create } }"
            ),
            (
                #"{"id":1,"tags":[{"name":null}]}"# + "\n" + #"{"id":2,"tags":[{}]}"#,
                "link: { tags: { by: { name: \"tags[*].name\" }, missing: create } }"
            ),
            (
                #"{"id":1,"tags":[]}"# + "\n" + #"{"id":2}"#,
                "link: { tags: { by: { name: \"tags[*]\" }, missing: create } }"
            ),
            (
                #"{"id":1,"lists":[{"tags":[]}]}"# + "\n" + #"{"id":2,"lists":[{}]}"#,
                "link: { tags: { by: { name: \"lists[*].tags[*]\" }, missing: create } }"
            ),
            (#"{"id":1,"owner":null}"#, "set: { title: owner.nam }"),
            (
                #"{"id":1,"owner":{"name":null}}"# + "\n" + #"{"id":2,"owner":{}}"#,
                "set: { title: owner.name }"
            ),
            (#"{"id":1}"#, "set: { title: { expr: \"uppercase(name)\", default: x } }"),
            (#"{"id":1,"name":"abc"}"#, "keep-if: \"name.length > 2\""),
        ])
    func unknown(records: String, keys: String) throws {
        let place = try DriftPlace()
        try place.write("d.ndjson", records + "\n")
        #expect(
            try place.run("{ import: d.ndjson, into: Task, unmet: stop, \(keys) }")
                == .silentSuccess)
    }

    @Test("one null in a thousand records does not hide a misspelled name")
    func oneNull() throws {
        let place = try DriftPlace()
        let records = (1...1000).map { number in
            "{\"id\":\(number),\"owner\":\(number == 500 ? "null" : "{\"name\":\"o\"}")}\n"
        }
        try place.write("d.ndjson", records.joined())
        let result = try place.run(
            "{ import: d.ndjson, into: Task, set: { title: owner.nam }, unmet: stop }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                s.yaml:5:51: error: No record has 'owner.nam'. Did you mean 'owner.name'? \
                [import.unmet-path]
                  in: stages[0].set.title
                  stage: s.yaml:5:5 import import-d

                """)
    }
}
