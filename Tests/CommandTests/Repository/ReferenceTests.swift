import Foundation
import Testing

@Suite("Reference") struct ReferenceTests {
    private static let folder = "docs/reference"

    @Test func pagesEqualTheOutputOfEtlReference() throws {
        let fresh = try TemporaryFolder()
        #expect(try Tool.etl(["reference", "--output", fresh.path]) == .silentSuccess)
        let names = try FileManager.default.contentsOfDirectory(atPath: fresh.path).sorted()
        let again = "run `swift run etl reference --output \(Self.folder)`"
        #expect(try Repository.files(in: Self.folder) == names, "\(again)")
        for name in names {
            let text = try String(contentsOfFile: "\(fresh.path)/\(name)", encoding: .utf8)
            #expect(
                (try? Repository.text("\(Self.folder)/\(name)")) == text,
                "\(name) is not as the command says: \(again)")
        }
    }

    @Test(.enabled(if: Tool.areInstalled(["groff"]), "there is no groff"))
    func manualPageListsEveryCommandWithoutGroffErrors() throws {
        let page = Repository.path("\(Self.folder)/etl.1")
        let check = try Tool.run("groff", ["-man", "-Tutf8", "-ww", page])
        #expect(check.status == 0 && check.standardError == "")
        // The text without the control sequences for bold text.
        let text = check.standardOutput.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
            .replacing(#/.\u{8}/#, with: "")
        let help = try Tool.etl(["--help"]).standardOutput
        let list = help.split(separator: "SUBCOMMANDS:").last ?? ""
        for match in list.matches(of: #/(?m)^ {2}([a-z]+) {2}/#) {
            #expect(text.contains("etl \(match.1)"), "\(match.1)")
        }
        for section in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"] {
            #expect(text.contains("\n\(section)\n"), "\(section)")
        }
        #expect(text.contains("--only STAGE") && text.contains("0 3 * * * etl run"))
    }

    /// Covers the links of guides, explanations, and the index, too.
    @Test func everyDocumentationLinkTargetExists() throws {
        for file in Repository.files(under: "docs", ending: ".md") {
            let text = try Repository.text(file)
            let folder = (file as NSString).deletingLastPathComponent
            for match in text.matches(of: #/\]\(([^)#:]*)(#[^)]*)?\)/#) {
                let path = match.1.isEmpty ? file : "\(folder)/\(match.1)"
                #expect(
                    FileManager.default.fileExists(atPath: Repository.path(path)),
                    "\(file): \(match.0)")
                guard let anchor = match.2, path.hasSuffix(".md") else { continue }
                let titles = try Repository.text(path).matches(of: #/(?m)^#+ (.*)$/#).map {
                    $0.1.lowercased().filter { $0.isLetter || $0.isNumber || " -".contains($0) }
                        .replacing(" ", with: "-")
                }
                #expect(titles.contains(String(anchor.dropFirst())), "\(file): \(match.0)")
            }
        }
    }

    /// A line that starts with `|` belongs to a table, unless it is part of a code block.
    @Test func everyTableOfTheDocumentationIsComplete() throws {
        for file in Repository.files(under: "docs", ending: ".md") {
            var isCode = false
            var table: [Substring] = []
            let lines = try Repository.text(file).split(
                separator: "\n", omittingEmptySubsequences: false)
            for line in lines + [""] {
                let text = line.drop { $0 == " " }
                if text.hasPrefix("```") { isCode.toggle() }
                if !isCode, text.hasPrefix("|") {
                    table.append(text)
                    continue
                }
                guard let header = table.first else { continue }
                let width = Self.cells(header).count
                #expect(table.count > 2, "\(file): \(header)")
                #expect(
                    Self.cells(table.dropFirst().first ?? "").allSatisfy {
                        $0.wholeMatch(of: #/ ?:?-+:? ?/#) != nil
                    }, "\(file): the line after \(header)")
                for row in table { #expect(Self.cells(row).count == width, "\(file): \(row)") }
                table = []
            }
        }
    }

    /// Returns the cells of a table's row; `\|` is text.
    private static func cells(_ row: Substring) -> [String] {
        row.replacing(#"\|"#, with: "").split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast().map(String.init)
    }

    /// A list whose items are one line is one item for Markdown.
    @Test func everyListItemOfTheReferenceStartsALine() throws {
        for file in Repository.files(under: Self.folder, ending: ".md") {
            for line in try Repository.text(file).split(separator: "\n")
            where line.hasPrefix("- ") {
                #expect(!line.dropFirst(2).contains(" - "), "\(file): \(line)")
            }
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionScriptHasTheFlags(of shell: String) throws {
        let script = try Tool.etl(["--generate-completion-script", shell])
        #expect(script.status == 0 && script.standardOutput.contains("allow-rejects"))
    }

    @Test(.enabled(if: Tool.areInstalled(["bash"]), "there is no bash"))
    func bashParsesItsCompletionScript() throws { try expectCompletionScript(for: "bash") }

    @Test(.enabled(if: Tool.areInstalled(["zsh"]), "there is no zsh"))
    func zshParsesItsCompletionScript() throws { try expectCompletionScript(for: "zsh") }

    @Test(.enabled(if: Tool.areInstalled(["fish"]), "there is no fish"))
    func fishParsesItsCompletionScript() throws { try expectCompletionScript(for: "fish") }

    private func expectCompletionScript(for shell: String) throws {
        let script = try Tool.etl(["--generate-completion-script", shell])
        let folder = try TemporaryFolder()
        try Data(script.standardOutput.utf8)
            .write(to: URL(fileURLWithPath: "\(folder.path)/etl"))
        #expect(try Tool.run(shell, ["-n", "\(folder.path)/etl"]) == .silentSuccess)
    }

    @Test func specsHaveASchema() throws {
        let result = try Tool.etl(["schema"])
        #expect(result.status == 0 && result.standardError == "")
        let schema = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        let keys = try #require((schema as? [String: Any])?["properties"] as? [String: Any])
        #expect(keys.keys.sorted().contains("stages") && keys.count == 10)
        #expect(try Tool.etl(["schema", "spec"]) == result)
    }

    @Test func exitCodePageListsEveryExitStatus() throws {
        let page = try Repository.text("docs/reference/exit-codes.md")
        let source = try Repository.text("Sources/Pipelines/Faults/ExitStatus.swift")
        for match in source.matches(of: #/case \w+ = (\d+)/#) {
            #expect(page.contains("| `\(match.1) "), "\(match.1)")
        }
    }

    @Test func modelsHaveTheirOwnSchema() throws {
        let result = try Tool.etl(["schema", "model"])
        #expect(result.status == 0 && result.standardError == "")
        let schema = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        let keys = try #require((schema as? [String: Any])?["properties"] as? [String: Any])
        #expect(
            keys.keys.sorted() == [
                "composites", "configurations", "entities", "history", "model", "requests",
                "version", "xcode",
            ])
        #expect(try Tool.etl(["schema", "store"]).status == 64)
    }
}
