import Foundation
import Testing

@testable import Pipelines

/// One table says what each code means.
@Suite("Explanations of codes")
struct ExplanationTests {
    @Test("every status and every code of a reject has a meaning and a mend")
    func complete() {
        let names = Explanation.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for status in ExitStatus.allCases { #expect(names.contains("\(status.rawValue)")) }
        #expect(names.contains("2"))
        for code in ImportSpec.rejectCodes + ["duplicate-key"] { #expect(names.contains(code)) }
        for explanation in Explanation.all {
            #expect(explanation.meaning.hasSuffix("."), "\(explanation.title)")
            #expect(explanation.mend.hasSuffix("."), "\(explanation.title)")
        }
    }

    @Test(
        "a fault is explained by its reject, any other message by its area",
        arguments: [
            ("csv.unterminated-quote", "reject parse"), ("json.lone-surrogate", "reject encoding"),
            ("csv.header", "csv.…"), ("report.folder", "report.…"), ("Store.full", "store.…"),
            ("2", "2"), ("key", "reject key"),
        ])
    func messages(_ code: String, _ title: String) throws {
        #expect(try Explanation.of(code).title == title)
    }

    @Test("every code that the sources name is explained")
    func known() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var codes: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/(code|detail): "([a-z]+\.[a-z-]+)"/#) {
                codes.insert(String(match.2))
                if match.1 == "detail" {
                    #expect(Explanation.details.values.contains { $0.contains(String(match.2)) })
                }
            }
        }
        #expect(codes.count > 50)
        for code in codes.sorted() {
            #expect(throws: Never.self, "\(code)") { try Explanation.of(code) }
        }
        #expect(throws: RunFailure.self) { try Explanation.of("nothing.of-the-kind") }
    }
}
