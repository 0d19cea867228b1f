import Testing

@Suite("Many inputs")
struct ManyInputsTests {
    @Test("300 inputs can have rejects if a process may have only 100 open files")
    func rejects() throws {
        let folder = try FailureFolder()
        try folder.writeSpec(
            "spec.yaml", "- { import: \"in/*.ndjson\", into: Task }",
            top: "rejects: { allow: 100% }")
        let result = try folder.shell(
            #"""
            mkdir in
            for i in $(seq 300); do printf '{"id":%d}\n{"id":null}\n' $i > in/$i.ndjson; done
            ulimit -n 100
            "$E" run spec.yaml; echo "status $?"
            ls rejects/*/*.why.ndjson | wc -l
            cat rejects/*/*.why.ndjson | wc -l
            """#)
        #expect(result.output == "status 0\n300\n300\n", "\(result.errors)")
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "300\n")
    }
}
