import Foundation

/// The result of a program.
struct ToolResult: Equatable {
    var status: Int32
    var standardOutput = ""
    var standardError = ""

    /// Success without output, as cron requires it.
    static let silentSuccess = ToolResult(status: 0)
}

/// Programs that run until they exit.
enum Tool {
    /// Runs a program with a string as its input, or none; its outputs are not a terminal.
    static func run(
        _ program: String, _ arguments: [String], in folder: String? = nil, input: String? = nil
    ) throws -> ToolResult {
        let scratch = try TemporaryFolder()
        let output = scratch.path + "/stdout"
        let errors = scratch.path + "/stderr"
        for file in [output, errors] {
            try Data().write(to: URL(fileURLWithPath: file))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.standardInput = FileHandle.nullDevice
        if let input {
            try Data(input.utf8).write(to: URL(fileURLWithPath: scratch.path + "/stdin"))
            process.standardInput = FileHandle(forReadingAtPath: scratch.path + "/stdin")
        }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        process.waitUntilExit()
        return ToolResult(
            status: process.terminationStatus,
            standardOutput: try String(contentsOfFile: output, encoding: .utf8),
            standardError: try String(contentsOfFile: errors, encoding: .utf8))
    }

    /// Whether the search path has all of these programs.
    static func areInstalled(_ programs: [String]) -> Bool {
        let search = programs.map { "command -v \($0)" }.joined(separator: " && ")
        return (try? run("/bin/sh", ["-c", search]))?.status == 0
    }

    /// Runs the `etl` that was built together with these tests.
    static func etl(
        _ arguments: [String], in folder: String? = nil, input: String? = nil
    ) throws -> ToolResult {
        try run(etlPath, arguments, in: folder, input: input)
    }

    /// Returns the rows of a query as the `sqlite3` program prints them.
    ///
    /// Each row is one line, with its columns separated by `|`.
    static func sqlite(_ store: String, _ query: String) throws -> [String] {
        let result = try run("sqlite3", ["-batch", "-readonly", store, query])
        guard result.status == 0 else { throw ToolFailure(result) }
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    /// Returns the text of a file, decompressed if it is compressed.
    static func contents(_ path: String) throws -> String {
        guard path.hasSuffix(".gz") else {
            return try String(contentsOfFile: path, encoding: .utf8)
        }
        let result = try run("gzip", ["-dc", path])
        guard result.status == 0 else { throw ToolFailure(result) }
        return result.standardOutput
    }

    /// The path of the command next to the test bundle.
    static let etlPath: String = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        if let bundle { folder = bundle.bundleURL }
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("etl").path
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder),
                !isFolder.boolValue
            {
                return candidate
            }
        }
        return Repository.path(".build/debug/etl")
    }()
}

/// The failure of a program that a test requires to succeed.
struct ToolFailure: Error {
    let result: ToolResult

    init(_ result: ToolResult) {
        self.result = result
    }
}

/// A folder that is deleted with its owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("etl-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
