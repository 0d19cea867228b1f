import Foundation
import Testing

/// The output other than data contains no secrets and no terminal control characters.
@Suite("Secrets and control characters in output")
struct OutputTextTests {
    private static let token = "qz9-tok3n-0a"

    private static let spec = """
        etl: 1
        params:
          token: { type: secret, from: ["env:TOKEN"] }
        store: { at: store.sqlite, model: model.yaml, open: create, history: { keep: 7d }, author: "by ${token}" }
        rejects: { allow: ALLOW }
        report: { to: runs, metrics: runs/etl.prom }
        stages:
          - import: tasks
            read: { files: "in/${token}/*.ndjson", as: ndjson, once: true }
            into: Task
            key: id
            set: { id: id, size: size, title: { const: "${token}" } }
          - update: sizes
            entity: Task
            where: "title == $token AND size == 99"
            set: { size: "1" }
          - export: out
            entity: Task
            to: "out-${token}.csv"
            fields: [id]
        """

    /// Returns every file in a folder with its bytes, except the inputs.
    private static func files(_ folder: FailureFolder) throws -> [(name: String, bytes: Data)] {
        let all = FileManager.default.enumerator(atPath: folder.path)
        return try (all?.compactMap { $0 as? String } ?? []).sorted().compactMap { name in
            var isFolder: ObjCBool = false
            let path = "\(folder.path)/\(name)"
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                !isFolder.boolValue, !name.hasPrefix("in/")
            else { return nil }
            return (name, try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    @Test("no message, report, log, note, or reason of a reject contains a secret")
    func secrets() throws {
        let folder = try FailureFolder()
        let token = Self.token
        try folder.shell("mkdir -p in/\(token)")
        try folder.write(
            "in/\(token)/a-\(token).ndjson",
            "{\"id\":1,\"size\":1}\n{\"id\":2,\"size\":\"\(token)\"}\n{\"id\":\"\(token)\"}\n")
        var told = ""
        // The run fails because of its rejects, is resumed, and succeeds.
        for (allow, log) in [("0", "text"), ("0", "json"), ("5", "json"), ("5", "text")] {
            try folder.write("spec.yaml", Self.spec.replacingOccurrences(of: "ALLOW", with: allow))
            let run = try folder.shell(
                "TOKEN=\(token) exec \"$E\" run spec.yaml -v --log-format \(log)")
            #expect(run.status == (allow == "0" ? 65 : 0), "\(run.errors)")
            let status = try folder.shell("exec \"$E\" status spec.yaml")
            let reports = ["text", "json", "html"].map { format in
                (try? folder.shell("exec \"$E\" report spec.yaml --format \(format)").output) ?? ""
            }
            told += run.output + run.errors + status.output + status.errors + reports.joined()
        }
        #expect(told.contains("***"))
        #expect(!told.contains(token), "\(told)")
        // In the store, the attribute's value is data; without it, nothing contains the secret.
        try folder.shell(
            """
            sqlite3 store.sqlite "UPDATE ZTASK SET ZTITLE = ''; VACUUM;"
            """)
        for file in try Self.files(folder) {
            #expect(!file.name.contains(token) || file.name == "out-\(token).csv", "\(file.name)")
            guard
                file.name.hasPrefix("rejects/") == false || file.name.hasSuffix(".why.ndjson")
                    || file.name.hasSuffix(".run.json")
            else { continue }
            #expect(file.bytes.range(of: Data(token.utf8)) == nil, "\(file.name)")
        }
        // A rejected record is data.
        let records = try Self.files(folder).filter {
            $0.name.hasPrefix("rejects/") && !$0.name.contains(".why.")
                && !$0.name.hasSuffix(".json")
        }
        #expect(!records.isEmpty)
        #expect(records.allSatisfy { $0.bytes.range(of: Data(token.utf8)) != nil })
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "1\n")
    }

    @Test("an import from a path with a secret resumes, and the store omits the secret")
    func resumed() throws {
        let folder = try FailureFolder()
        let token = Self.token
        try folder.shell("mkdir -p in/\(token)")
        let rows = (1...50).map { "{\"id\":\($0),\"size\":1}\n" }.joined()
        let input = "in/\(token)/a.ndjson"
        try folder.write(input, rows)
        try folder.shell("gzip \(input); head -c 150 \(input).gz > cut; cp cut \(input).gz")
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            params: { token: { type: secret, from: ["env:TOKEN"] } }
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: tasks
                read: { files: "in/${token}/*.ndjson.gz" }
                into: Task
                set: { id: id, size: size }
                when-found: append
            """)
        let first = try folder.shell("TOKEN=\(token) exec \"$E\" run spec.yaml")
        #expect(first.status == 65, "\(first.errors)")
        #expect(!first.errors.contains(token))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/store.sqlite"))
        #expect(bytes.range(of: Data(token.utf8)) == nil)
        #expect(bytes.range(of: Data("in/${token}/a.ndjson.gz".utf8)) != nil)
        try folder.write(input, rows)
        try folder.shell("gzip -f \(input)")
        let second = try folder.shell("TOKEN=\(token) exec \"$E\" run spec.yaml")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try folder.query("SELECT count(*), count(DISTINCT ZID) FROM ZTASK") == "50|50\n")
    }

    @Test("control characters of names and values are escaped in all output except data")
    func controls() throws {
        let folder = try FailureFolder()
        let name = "a\u{1B}]0;b\u{202E}c\u{9B}d"
        try folder.write("\(name).ndjson", "{\"id\":\"x\u{202E}\u{9B}y\u{1B}\"}\n{\"id\":1}\n")
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            rejects: { allow: 1 }
            report: { to: runs, metrics: runs/etl.prom }
            stages:
              - import: tasks
                read: { files: "*.ndjson" }
                into: Task
                set: { id: id }
            """)
        var written: [(String, Data)] = []
        for log in ["text", "json"] {
            let run = try folder.shell("exec \"$E\" run spec.yaml -v --log-format \(log)")
            written.append(("stderr \(log) \(run.status)", Data(run.errors.utf8)))
            let status = try folder.shell("exec \"$E\" status spec.yaml")
            written.append(("status", Data((status.output + status.errors).utf8)))
            let report = try folder.shell("exec \"$E\" report spec.yaml")
            written.append(("report", Data((report.output + report.errors).utf8)))
        }
        written += try Self.files(folder).filter {
            $0.name.hasPrefix("runs/") || $0.name.contains(".why.") || $0.name.contains(".run.json")
        }
        #expect(written.count > 10, "\(written)")
        for (name, bytes) in written {
            for forbidden in ["\u{1B}", "\u{202E}", "\u{9B}"] {
                #expect(bytes.range(of: Data(forbidden.utf8)) == nil, "\(name)")
            }
        }
    }
}
