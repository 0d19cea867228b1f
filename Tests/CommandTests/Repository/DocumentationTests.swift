import Foundation
import Testing

/// Checks the symbols of the built modules, as documentation tools do.
@Suite("Documentation", .enabled(if: SymbolGraph.isThere, SymbolGraph.missing))
struct DocumentationTests {
    @Test(
        "every public symbol has a documentation comment",
        arguments: ["GraphModel", "GraphStore", "RowStore", "XcodeModel"])
    func everyPublicSymbolIsDocumented(module: String) throws {
        let symbols = try SymbolGraph.symbols(of: module)
        #expect(symbols.contains { $0.docComment != nil })
        let undocumented = symbols.filter { $0.docComment == nil && $0.location != nil }
        #expect(undocumented.map(\.text) == [])
    }
}

/// The public symbols of a module.
enum SymbolGraph {
    struct Symbol: Decodable {
        struct Comment: Decodable {}

        struct Location: Decodable {
            struct Position: Decodable {
                var line: Int
            }

            var uri: String
            var position: Position
        }

        var pathComponents: [String]
        var docComment: Comment?
        /// The location; `nil` for symbols that the compiler adds.
        var location: Location?

        var text: String {
            let file = location?.uri.components(separatedBy: "/Sources/").last ?? "?"
            let line = (location?.position.line ?? 0) + 1
            return "\(file):\(line): \(pathComponents.joined(separator: "."))"
        }
    }

    private struct Graph: Decodable {
        var symbols: [Symbol]
    }

    private struct TargetInfo: Decodable {
        struct Target: Decodable {
            var unversionedTriple: String
        }

        var target: Target
    }

    static let missing: Comment =
        "needs swift-symbolgraph-extract in the PATH, and the modules beside the test's binary"

    static let isThere =
        modules != nil && ((try? Tool.run("which", ["swift-symbolgraph-extract"]).status) ?? 1) == 0

    private static let modules: String? = {
        var folder = URL(fileURLWithPath: Tool.etlPath)
        folder.deleteLastPathComponent()
        let path = folder.appendingPathComponent("Modules").path
        let isThere = FileManager.default.fileExists(atPath: path + "/GraphStore.swiftmodule")
        return isThere ? path : nil
    }()

    static func symbols(of module: String) throws -> [Symbol] {
        let info = try Tool.run("swiftc", ["-print-target-info"])
        let triple = try JSONDecoder().decode(
            TargetInfo.self, from: Data(info.standardOutput.utf8)
        ).target.unversionedTriple
        let scratch = try TemporaryFolder()
        var arguments = [
            "-module-name", module, "-I", modules ?? "", "-target", triple,
            "-minimum-access-level", "public", "-skip-synthesized-members",
            "-output-dir", scratch.path,
        ]
        for library in ["CDigests/include", "CSQLite", "CLibYAML", "CZlib"] {
            let map = Repository.path("Sources/\(library)/module.modulemap")
            arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
        }
        let result = try Tool.run("swift-symbolgraph-extract", arguments)
        guard result.status == 0 else { throw ToolFailure(result) }
        // Extensions of other modules' types have separate files.
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        return try files.flatMap { file in
            try JSONDecoder().decode(
                Graph.self,
                from: Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/\(file)"))
            ).symbols
        }
    }
}
