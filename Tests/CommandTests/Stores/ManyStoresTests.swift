import Testing

/// One spec for many stores, run by plain processes; `Tests/spark` does the same under Spark.
@Suite("Many stores", .serialized)
struct ManyStoresTests {
    private static let spec = """
        etl: 1
        name: tenant
        params:
          tenant: { type: string }
        store: { at: "stores/${tenant}.sqlite", model: model.yaml, open: create }
        report: { to: "runs/${tenant}" }
        budget: { save-every: 500 }
        stages:
          - import: tasks
            read: { files: "in/${tenant}.ndjson" }
            into: Task
            link: { owner: { by: { name: owner }, missing: create } }
          - export: Task
            to: "out/${tenant}.ndjson.gz"
            parts: 4
        """

    @Test("parallel runs on eight stores, one of them killed, export what sequential runs export")
    func processes() throws {
        let folder = try FailureFolder()
        try folder.write("spec.yaml", Self.spec)
        try folder.shell("mkdir -p loop/in loop/stores; cp spec.yaml model.yaml loop")
        for tenant in 0..<8 {
            try folder.writeTasks(2_000 + tenant, to: "loop/in/t\(tenant).ndjson")
        }
        try folder.shell("cp -r loop two")
        let loop = try folder.shell(
            "cd loop; for t in 0 1 2 3 4 5 6 7; do \"$E\" run spec.yaml --set tenant=t$t || exit; done"
        )
        #expect(loop.status == 0, "\(loop.errors)")
        let two = try folder.shell(
            """
            cd two
            # Killed in the middle, and run again with the others.
            mv in/t3.ndjson whole; mkfifo in/t3.ndjson
            "$E" run spec.yaml --set tenant=t3 & run=$!
            exec 3> in/t3.ndjson
            head -n 1500 whole >&3
            for i in $(seq 200); do
                [ "$(sqlite3 stores/t3.sqlite 'SELECT count(*) FROM ZTASK' 2>/dev/null)" -gt 0 ] 2>/dev/null \
                    && break
                sleep 0.05
            done
            kill -9 $run; wait $run
            exec 3>&-
            rm in/t3.ndjson; mv whole in/t3.ndjson
            seq 0 7 | xargs -P 2 -I{} "$E" run spec.yaml --set tenant=t{} --if-locked wait=1m
            """)
        #expect(two.status == 0, "\(two.errors)")
        let same = try folder.shell("diff -r loop/out two/out && ls loop/out | wc -l")
        #expect(same.output.split(separator: "\n").map { $0.drop { $0 == " " } } == ["40"])
        #expect(try folder.shell("ls loop/out/t0*").output.contains("t0-004-of-004.ndjson.gz"))
    }
}
