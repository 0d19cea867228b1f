import Foundation
import Testing

/// A folder in which shell scripts run the built command; deleted with the value.
final class FailureFolder {
    let path: String

    /// The command, which the build puts next to the tests.
    static let command = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("etl").path

    /// The prefix that runs a command as a user without full read access; `nil` if that is not
    /// possible.
    static let underling: String? = {
        guard getuid() == 0 else { return "" }
        let prefix = "setpriv --reuid 65534 --regid 65534 --clear-groups --"
        let result = try? FailureFolder().shell("exec \(prefix) \"$E\" --version")
        return result?.status == 0 ? prefix : nil
    }()

    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 32, optional: false }
              title: String
              size: Integer 32
            relationships:
              owner: { to: Person, inverse: tasks }
              tags: { to: Tag, many: true, inverse: tasks }
            unique: [[id]]
            indexes: { bySize: [size] }
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[name]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """

    static let stages = """
        - import: tasks
          read: { files: "${in}", as: ndjson }
          into: Task
          link:
            owner: { by: { name: owner }, missing: create }
            tags: { by: { name: "tags[*]" }, missing: create }
        - { export: Task, to: "${out}", as: csv }
        """

    init() throws {
        path = NSTemporaryDirectory() + "failures-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try write("model.yaml", Self.model)
        try writeSpec()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func text(_ name: String) -> String {
        (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? ""
    }

    func names(_ name: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(name)")) ?? []).sorted()
    }

    func writeSpec(
        _ name: String = "spec.yaml", _ stages: String = FailureFolder.stages, top: String = "",
        open: String = "create"
    ) throws {
        try write(
            name,
            """
            etl: 1
            params:
              in: { type: path, default: tasks.ndjson }
              out: { type: path, default: out.csv }
              store: { type: path, default: store.sqlite }
            store: { at: "${store}", model: model.yaml, open: \(open) }
            budget: { save-every: 1000 }
            \(top)
            stages:
            \(stages)
            """)
    }

    /// Writes a number of tasks with links.
    func writeTasks(_ count: Int, to name: String = "tasks.ndjson") throws {
        var text = ""
        for number in 0..<count {
            text += "{\"id\":\(number),\"title\":\"task \(number * 7919 % 10007)\",\"size\":"
            text += "\(number % 1000),\"owner\":\"p\(number % 97)\",\"tags\":[\"a\(number % 5)\","
            text += "\"b\(number % 7)\"]}\n"
        }
        try write(name, text)
    }

    /// The result of a script.
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Runs a shell script in the folder; `$E` is the command.
    @discardableResult
    func shell(_ script: String) throws -> Result {
        let process = Process()
        // A script that waits forever must not block the tests.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["timeout", "-k", "1", "120", "/bin/sh", "-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: path)
        var environment = ProcessInfo.processInfo.environment
        environment["E"] = Self.command
        process.environment = environment
        let name = UUID().uuidString
        let outputs = ["out", "err"].map { "\(NSTemporaryDirectory())\(name).\($0)" }
        defer { for output in outputs { try? FileManager.default.removeItem(atPath: output) } }
        for output in outputs { _ = FileManager.default.createFile(atPath: output, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: outputs[0])
        process.standardError = FileHandle(forWritingAtPath: outputs[1])
        try process.run()
        process.waitUntilExit()
        let texts = outputs.map { (try? String(contentsOfFile: $0, encoding: .utf8)) ?? "" }
        let isSignal = process.terminationReason == .uncaughtSignal
        return Result(
            status: isSignal ? 128 + process.terminationStatus : process.terminationStatus,
            output: texts[0], errors: texts[1].replacingOccurrences(of: path + "/", with: ""))
    }

    /// Runs the spec; its export contains all tasks and links.
    func run(_ arguments: String = "", spec: String = "spec.yaml") throws -> Result {
        try shell("exec \"$E\" run \(spec) \(arguments)")
    }

    /// Returns the result of a query, which another program runs.
    func query(_ sql: String, store: String = "store.sqlite") throws -> String {
        let script = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1])
            assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            for row in store.execute(sys.argv[2]): print("|".join(str(cell) for cell in row))
            """
        try write(".query.py", script)
        let quoted = sql.replacingOccurrences(of: "'", with: "'\\''")
        let result = try shell("python3 .query.py '\(store)' '\(quoted)'")
        #expect(result.errors == "")
        return result.output
    }

    /// Returns the graph of an undisturbed run over the same input, and its store's tables and
    /// indexes.
    func undisturbed() throws -> (graph: String, schema: String) {
        let result = try run("--set store=fresh.sqlite --set out=fresh.csv")
        #expect(result.status == 0, "\(result.errors)")
        return (text("fresh.csv"), try query(Self.schema, store: "fresh.sqlite"))
    }

    static let schema =
        "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name"
}
