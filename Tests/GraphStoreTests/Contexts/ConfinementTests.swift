import Foundation
import Testing

/// The programs of section 3's table, compiled against the built module.
@Suite("Compiler checks of confinement", .enabled(if: Compiler.isThere, Compiler.missing))
struct ConfinementTests {
    @Test(
        "rows 27, 31, 32: programs that keep objects in their region compile",
        arguments: ConfinementFixture.accepted)
    func accepts(fixture: ConfinementFixture) throws {
        #expect(try Compiler.errors(in: fixture.source) == [])
    }

    @Test(
        "rows 26, 31, 32, 43: programs that send objects out of their region do not compile",
        arguments: ConfinementFixture.refused)
    func refuses(fixture: ConfinementFixture) throws {
        let errors = try Compiler.errors(in: fixture.source)
        let expected = try #require(fixture.diagnostic)
        #expect(
            errors.contains { $0.localizedCaseInsensitiveContains(expected) },
            "\(errors)")
    }
}

/// The compiler on this machine, and the modules next to this test's binary.
enum Compiler {
    static let missing: Comment =
        "needs swiftc in the PATH, and the modules beside the test's binary"

    static let isThere = executable != nil && modules != nil

    private static let executable: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/swiftc" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private static let modules: String? = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let path = folder.appendingPathComponent("Modules").path
            if FileManager.default.fileExists(atPath: path + "/GraphStore.swiftmodule") {
                return path
            }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// Returns the error lines of the compiler's output.
    static func errors(in source: String) throws -> [String] {
        guard let executable, let modules else { return ["no compiler"] }
        let folder = try TemporaryFolder()
        let file = folder.file("program.swift")
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        // A compiler that fails removes its output file.
        process.arguments = [
            "-emit-sil", "-o", folder.file("program.sil"), "-swift-version", "6", "-I", modules,
        ]
        for module in ["CDigests/include", "CSQLite", "CLibYAML", "CZlib"] {
            process.arguments? += [
                "-Xcc", "-fmodule-map-file=\(package.path)/Sources/\(module)/module.modulemap",
            ]
        }
        process.arguments?.append(file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init).filter {
            $0.contains("program.swift:") && $0.contains("error:")
        }
    }
}
