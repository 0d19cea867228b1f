import Foundation
import Testing

/// The commands in the README, the tutorial, the how-to guides, and the explanations work as shown.
@Suite("Guides") struct GuideTests {
    private static let howTos = Repository.files(under: "docs/how-to", ending: ".md")
    private static let others =
        Repository.files(under: "docs/tutorial", ending: ".md")
        + Repository.files(under: "docs/explanation", ending: ".md")

    /// Returns a folder as the how-to guides require it, with the specs of all of them.
    private static func howToFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Repository.path("pipelines/task-model.yaml"),
            toPath: "\(folder.path)/task-model.yaml")
        try FileManager.default.copyItem(
            atPath: Repository.path("sample-data"), toPath: "\(folder.path)/in")
        for file in howTos {
            try GuidePage(file).writeFiles(into: folder.path)
        }
        return folder
    }

    @Test(arguments: howTos)
    func howToGuidePrintsTheOutputThatItShows(_ file: String) throws {
        let folder = try Self.howToFolder()
        #expect(try GuidePage(file).run(in: folder.path) == [])
    }

    @Test(arguments: others)
    func pagePrintsTheOutputThatItShows(_ file: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Repository.path("docs"), toPath: "\(folder.path)/docs")
        try FileManager.default.copyItem(
            atPath: Repository.path("sample-data"), toPath: "\(folder.path)/sample-data")
        try FileManager.default.copyItem(
            atPath: Repository.path("pipelines"), toPath: "\(folder.path)/pipelines")
        #expect(try GuidePage(file).run(in: folder.path) == [])
    }

    @Test func everySpecOfAHowToGuidePassesTheCheck() throws {
        let folder = try Self.howToFolder()
        // The template of a spec must exist.
        let template = try Tool.etl(["run", "empty.yaml"], in: folder.path)
        #expect(template == .silentSuccess)
        let names = try Self.howTos.flatMap { try GuidePage($0).blocks.compactMap(\.fileName) }
        #expect(names.count == Set(names).count, "two guides have a file of one name: \(names)")
        let specs = names.filter { $0.hasSuffix(".yaml") }.sorted()
        #expect(specs.count >= 10)
        #expect(try Tool.etl(["check"] + specs, in: folder.path) == .silentSuccess)
    }

    /// Every YAML block is a spec of its page, or states why it is not.
    @Test(arguments: howTos + Repository.files(under: "docs/tutorial", ending: ".md"))
    func everyBlockIsRunOrStatesWhyNot(_ file: String) throws {
        for block in try GuidePage(file).blocks where block.reason == nil {
            let isRun = ["sh", "text", "console"].contains(block.language)
            #expect(isRun || block.fileName != nil, "\(file):\n\(block.text)")
        }
    }

    @Test(arguments: ["how-to", "explanation"])
    func everyPageIsInTheListOfItsFolderAndOnTheSite(_ folder: String) throws {
        let list = try Repository.text("docs/\(folder)/README.md")
        let site = try Repository.text("mkdocs.yml")
        for file in Repository.files(under: "docs/\(folder)", ending: ".md")
        where !file.hasSuffix("/README.md") {
            #expect(list.contains("](\((file as NSString).lastPathComponent))"), "\(file)")
            #expect(site.contains("- \(file)\n"), "\(file)")
        }
    }
}
