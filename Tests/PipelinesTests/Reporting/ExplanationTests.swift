import Foundation
import Testing

@testable import Pipelines

/// One table contains the meaning of each code.
@Suite("Explanations of codes")
struct ExplanationTests {
    @Test("each exit status and each reject code has a meaning and a fix")
    func complete() {
        let names = Explanation.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for status in ExitStatus.allCases { #expect(names.contains("\(status.rawValue)")) }
        #expect(names.contains("2"))
        for code in Explanation.rejectCodes + ["duplicate-key"] { #expect(names.contains(code)) }
        for explanation in Explanation.all {
            #expect(explanation.meaning.hasSuffix("."), "\(explanation.title)")
            #expect(explanation.fix.hasSuffix("."), "\(explanation.title)")
        }
    }

    @Test(
        "explains a fault with its reject code, and a reject code or an area with its faults",
        arguments: [
            ("csv.unterminated-quote", ["csv.unterminated-quote", "reject parse"]),
            ("json.lone-surrogate", ["json.lone-surrogate", "reject encoding"]),
            ("csv.header", ["csv.header"]), ("Store.full", ["store.full"]), ("2", ["2"]),
            ("key", ["reject key"]), ("store.of-no-kind", ["store.…"]),
            ("too-big", ["reject too-big", "csv.record-too-big", "json.record-too-big"]),
            ("mirror", ["mirror.…", "mirror.refused", "mirror.replayed"]),
            (
                "import",
                [
                    "import.…", "import.shared-keys", "import.untried", "import.nothing-fits",
                    "import.read-before", "import.changed-columns", "import.archive",
                    "import.duplicate-keys",
                    "import.unmet-path",
                    "import.app-store", "import.entity",
                    "import.folder", "import.key", "import.kept-as-text", "import.not-linked",
                    "import.open-dates", "import.model", "import.row-key", "import.null",
                    "import.skipped-columns", "import.standard-input", "import.store",
                    "import.join-table", "import.decimal-mark",
                    "import.no-spec", "import.saved",
                    "import.type", "import.unfinished",
                ]
            ),
        ])
    func messages(_ code: String, _ titles: [String]) throws {
        #expect(try Explanation.of(code).map(\.title) == titles)
    }

    @Test("each fault has one area, a meaning, and a fix, and is listed once")
    func faults() {
        #expect(Set(Explanation.faults.map(\.title)).count == Explanation.faults.count)
        for fault in Explanation.faults {
            let families = Explanation.all.filter {
                Explanation.faults(of: $0).contains(fault)
            }
            #expect(families.count == 1, "\(fault.title)")
            #expect(fault.meaning.hasSuffix(".") && fault.fix.hasSuffix("."), "\(fault.title)")
        }
        let details = Set(Explanation.details.values.flatMap(\.self))
        #expect(details.subtracting(Explanation.faults.map(\.title)) == [])
    }

    @Test("explains every code that the sources contain")
    func known() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var codes: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            // This also matches the lines of an enumeration's codes: `case .gzipData: "gzip.data"`.
            let mark = #/(code|detail|case \.[a-zA-Z]+): "([a-z]+\.[a-z-]+)"/#
            for match in text.matches(of: mark)
            where !match.1.hasPrefix("case") || file.lastPathComponent.hasSuffix("Error.swift") {
                codes.insert(String(match.2))
                if match.1 == "detail" {
                    #expect(Explanation.details.values.contains { $0.contains(String(match.2)) })
                }
            }
        }
        #expect(codes.count > 50)
        for code in codes.sorted() {
            #expect(Explanation.faults.contains { $0.title == code }, "\(code)")
        }
        #expect(throws: RunFailure.self) { try Explanation.of("nothing.of-the-kind") }
    }
}
