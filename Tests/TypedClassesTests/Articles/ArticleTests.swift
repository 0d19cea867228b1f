import Foundation
import GraphModel
import Testing

/// The Swift that articles show is the Swift that the files beside this one compile and run.
@Suite("Articles") struct ArticleTests {
    private static let articles = ExampleFolder.root + "/Sources/GraphStore/GraphStore.docc"
    private static let samples = ExampleFolder.root + "/Tests/TypedClassesTests/Articles"

    private static func texts(in folder: String, ending: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(ending) }
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
            })
    }

    /// Lines without the indentation of the first one.
    private static func unindented(_ lines: ArraySlice<Substring>) -> [Substring] {
        let indentation = lines.first?.prefix { $0 == " " } ?? ""
        return lines.map {
            $0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0
        }
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func everySampleIsCompiledAndRun() throws {
        let compiled = try Self.texts(in: Self.samples, ending: "Samples.swift").values
            .map(Self.lines)
        var count = 0
        for (name, text) in try Self.texts(in: Self.articles, ending: ".md") {
            for block in text.components(separatedBy: "```swift\n").dropFirst() {
                let sample = Self.lines(block.components(separatedBy: "\n```")[0])
                let isThere = compiled.contains { lines in
                    lines.indices.contains { start in
                        start + sample.count <= lines.count
                            && Self.unindented(lines[start..<start + sample.count]) == sample
                    }
                }
                #expect(isThere, "\(name): \(sample[0])")
                count += 1
            }
        }
        #expect(count >= 20)
    }

    @Test func everyArticleIsOnTheFirstPage() throws {
        let texts = try Self.texts(in: Self.articles, ending: ".md")
        let first = try #require(texts["GraphStore.md"])
        for name in texts.keys where name != "GraphStore.md" {
            #expect(first.contains("<doc:\(name.dropLast(3))>"), "\(name)")
        }
    }

    /// Whatever the table says is ours stands in the sources under that name.
    @Test func tableOfCallsNamesWhatIsThere() throws {
        let article = try #require(
            try Self.texts(in: Self.articles, ending: ".md")["MigratingFromCoreData.md"])
        let sources = ExampleFolder.root + "/Sources"
        var declared: Set<Substring> = []
        for module in ["GraphModel", "GraphStore", "XcodeModel"] {
            let found = FileManager.default.enumerator(atPath: "\(sources)/\(module)")
            for case let file as String in found ?? .init() where file.hasSuffix(".swift") {
                let text = try String(
                    contentsOfFile: "\(sources)/\(module)/\(file)", encoding: .utf8)
                for match in text.matches(
                    of: #/(?:var|let|func|class|struct|enum|protocol|case) `?(\w+)/#)
                {
                    declared.insert(match.1)
                }
                for match in text.matches(of: #/(\w+)(?: \w+)?:/#) { declared.insert(match.1) }
            }
        }
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 50)
        for row in rows {
            let ours = row.split(separator: "|")[1]
            for code in ours.matches(of: #/`([^`]+)`/#) where !code.1.contains("--") {
                for word in code.1.matches(of: #/[A-Za-z_]\w{4,}/#) {
                    #expect(
                        declared.contains(word.0) || Self.notDeclared.contains(word.0),
                        "\(word.0) in \(ours)")
                }
            }
        }
    }

    /// Words of examples in the table.
    private static let notDeclared: Set<Substring> = [
        "addToTags", "insertIntoSubtasks", "swift", "title", "GRAPHSTORE_SQL_DEBUG",
        "GRAPHSTORE_CONCURRENCY_DEBUG",
    ]
}

/// A folder that goes away with its owner, and where the package is.
final class ExampleFolder {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("articles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    static func model(_ name: String) -> String {
        "\(root)/Tests/TypedClassesTests/Models/\(name).yaml"
    }
}
