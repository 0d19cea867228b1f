import Foundation

/// What a program left behind.
struct ToolResult: Equatable {
    var status: Int32
    var standardOutput = ""
    var standardError = ""

    /// Success without a word, as cron wants it.
    static let silentSuccess = ToolResult(status: 0)
}

/// Programs, run to their end.
enum Tool {
    /// Runs a program; its input is a text, or empty, and its outputs are no terminal.
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

    /// Runs the `etl` that was built together with these tests.
    static func etl(
        _ arguments: [String], in folder: String? = nil, input: String? = nil
    ) throws -> ToolResult {
        try run(etlPath, arguments, in: folder, input: input)
    }

    /// The rows that a store gives for a query, by the `sqlite3` program: a line each, columns
    /// separated by bars.
    static func sqlite(_ store: String, _ query: String) throws -> [String] {
        let result = try run("sqlite3", ["-batch", "-readonly", store, query])
        guard result.status == 0 else { throw ToolFailure(result) }
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    /// The text of a file, or of what is in it where it is compressed.
    static func contents(_ path: String) throws -> String {
        guard path.hasSuffix(".gz") else {
            return try String(contentsOfFile: path, encoding: .utf8)
        }
        let result = try run("gzip", ["-dc", path])
        guard result.status == 0 else { throw ToolFailure(result) }
        return result.standardOutput
    }

    /// The command beside the test bundle.
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

/// A program that failed where a test needs it to work.
struct ToolFailure: Error {
    let result: ToolResult

    init(_ result: ToolResult) {
        self.result = result
    }
}

/// A folder that goes away with its owner.
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
