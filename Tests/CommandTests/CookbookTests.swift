import Foundation
import Testing

/// The recipes of the cookbook do what they say.
@Suite("Cookbook") struct CookbookTests {
    /// A block between fences, with the word behind the first.
    private struct Block {
        var language: String
        var text: String
    }

    private static let recipes = Repository.files(under: "docs/cookbook", ending: ".md")

    private static func blocks(_ file: String) throws -> [Block] {
        try Repository.text(file).matches(of: #/(?ms)^```(\w+)\n(.*?)\n```$/#).map {
            Block(language: String($0.1), text: String($0.2))
        }
    }

    /// A folder as the cookbook wants it, with the specs of all recipes.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        try files.copyItem(
            atPath: Repository.path("pipelines/task-model.yaml"),
            toPath: "\(folder.path)/task-model.yaml")
        try files.copyItem(
            atPath: Repository.path("sample-data"), toPath: "\(folder.path)/in")
        for spec in try recipes.flatMap(blocks) where spec.language == "yaml" {
            let name = try #require(spec.text.firstMatch(of: #/^# ([a-z-]+\.yaml)\n/#)).1
            #expect(!files.fileExists(atPath: "\(folder.path)/\(name)"), "\(name) stands twice")
            try Data((spec.text + "\n").utf8)
                .write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        return folder
    }

    @Test func everySpecHasNoProblem() throws {
        let folder = try Self.folder()
        let specs = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".yaml") && $0 != "task-model.yaml"
        }
        #expect(specs.count >= 7)
        #expect(try Tool.etl(["check"] + specs.sorted(), in: folder.path) == .silentSuccess)
    }

    @Test(arguments: recipes)
    func recipePrintsWhatItSays(_ file: String) throws {
        let folder = try Self.folder()
        let bin = (Tool.etlPath as NSString).deletingLastPathComponent
        var printed = ""
        for block in try Self.blocks(file) {
            switch block.language {
            case "sh":
                let script = "export PATH='\(bin)':\"$PATH\"\n\(block.text)"
                let result = try Tool.run(
                    "bash", ["-euo", "pipefail", "-c", script], in: folder.path)
                #expect(
                    result.status == 0 && result.standardError == "", "\(block.text)\n\(result)")
                printed = result.standardOutput
            case "text":
                #expect(printed == block.text + "\n")
                printed = ""
            default: break
            }
        }
        #expect(printed == "", "\(file) does not show what its last command prints")
    }

    @Test func everyRecipeIsInTheList() throws {
        let list = try Repository.text("docs/cookbook/README.md")
        for file in Self.recipes where !file.hasSuffix("README.md") {
            #expect(list.contains("](\((file as NSString).lastPathComponent))"), "\(file)")
        }
    }
}
