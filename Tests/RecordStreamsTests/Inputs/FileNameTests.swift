import Diagnostics
import Files
import Foundation
import Testing

@testable import RecordStreams

/// Names of files as the file system stores them.
@Suite("File names") struct FileNameTests {
    static let composed = FileName("\u{E9}.csv")
    static let decomposed = FileName("e\u{301}.csv")
    static let latin1 = FileName(bytes: Array("caf".utf8) + [0xE9] + Array(".csv".utf8))

    @Test("file names are compared and sorted by their bytes")
    func bytes() {
        #expect("\u{E9}.csv" == "e\u{301}.csv")
        #expect(Self.composed != Self.decomposed)
        #expect(Set([Self.composed, Self.decomposed, Self.latin1]).count == 3)
        #expect(
            [Self.composed, Self.latin1, Self.decomposed].sorted()
                == [Self.latin1, Self.decomposed, Self.composed])
    }

    @Test(
        "the displayed form of a file name is unique and can be read back",
        arguments: [
            (Array("café.csv".utf8), "café.csv", "café.csv"),
            ([0x63, 0xE9], "c\\xE9", nil), ([0x63, 0xC3], "c\\xC3", nil),
            ([0x5C, 0xFF, 0x41], "\\\\\\xFFA", nil),
            (Array("c\\xE9".utf8), "c\\\\xE9", "c\\xE9"), (Array("a\\b".utf8), "a\\b", "a\\b"),
            ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80", nil),
            ([0xF0, 0x9F, 0x98], "\\xF0\\x9F\\x98", nil),
            ([], "", ""),
        ] as [([UInt8], String, String?)])
    func text(bytes: [UInt8], display: String, exact: String?) throws {
        let name = FileName(bytes: bytes)
        #expect(name.displayText == display)
        #expect(name.exactText.map { Array($0.utf8) } == exact.map { Array($0.utf8) })
        #expect(FileName(escapedText: name.escapedText) == name)
    }

    @Test("a file name decodes from JSON as text, or escaped if it is not UTF-8")
    func json() throws {
        for (text, name) in [
            (#""é.csv""#, Self.composed), (#"{"escaped":"caf\\xE9.csv"}"#, Self.latin1),
        ] {
            #expect(try JSONDecoder().decode(FileName.self, from: Data(text.utf8)) == name)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FileName.self, from: Data(#"{"escaped":"\\q"}"#.utf8))
        }
    }

    @Test(
        "a file name has a folder and a last component, even before a combining mark",
        arguments: [
            ("a", ".", "a"), ("/a", "/", "a"), ("in/\u{301}a.csv", "in", "\u{301}a.csv"),
            ("a/b/", "a/b", ""), ("/\u{301}", "/", "\u{301}"),
        ])
    func parts(path: String, folder: String, last: String) {
        let name = FileName(path)
        #expect(name.folder == FileName(folder))
        #expect(name.lastComponent == FileName(last))
    }

    @Test(
        "file names are joined, normalized, and made relative to a folder",
        arguments: [
            ("/a/b", "c", "/a/b/c", "c"), ("/a/b", "./c", "/a/b/c", "c"),
            ("/a/b", "../\u{301}c", "/a/\u{301}c", "../\u{301}c"), ("/a/b", "/c", "/c", "../../c"),
            ("/a/b", ".", "/a/b", "."), ("/a", "../../c", "/c", "../c"),
        ])
    func paths(folder: String, path: String, whole: String, relative: String) {
        let joined = FileName(folder).joining(FileName(path)).normalized
        #expect(joined == FileName(whole))
        #expect(joined.relative(to: FileName(folder)) == FileName(relative))
    }

    @Test("the extension of a file name determines the format")
    func formats() {
        #expect(RecordFormat(fileName: Self.latin1) == .csv)
        #expect(RecordFormat(fileName: "A.NDJSON.GZ") == .ndjson)
        #expect(RecordFormat(fileName: "a.csv\u{301}") == nil)
        #expect(RecordFormat(fileName: "csv") == nil)
    }

    @Test("a file name is truncated between characters")
    func cuts() {
        #expect(FileName("aé").prefix(bytes: 2) == "a")
        #expect(FileName("aé").prefix(bytes: 3) == "aé")
    }

    // MARK: On disk

    /// Names that only some file systems allow.
    private static let names: [FileName] = [
        composed, decomposed, latin1, "\u{301}x.csv",
        FileName(String(repeating: "n", count: 246) + ".csv"),
    ]

    @Test(
        "patterns match file names with any bytes",
        .enabled(if: RawFiles.areAllowed, "the file system changes or rejects some names"))
    func globs() throws {
        let folder = try TemporaryFolder()
        for name in Self.names { try RawFiles.write("1", to: name, in: folder.path) }
        func found(_ patterns: String...) throws -> [FileName] {
            try InputFiles.expand(patterns: patterns, baseFolder: folder.path)
                .map(\.path.lastComponent)
        }
        #expect(try found("*.csv") == Self.names.sorted())
        #expect(try found("**/*.csv") == Self.names.sorted())
        #expect(try found("?.csv") == [Self.composed])
        #expect(try found("??.csv") == [Self.decomposed, "\u{301}x.csv"])
        #expect(try found("caf?.csv") == [Self.latin1])
        #expect(try found("\u{301}x.csv", "{\u{301}x,none}.csv") == ["\u{301}x.csv"])
        #expect(try found("e\u{301}.csv", "\u{E9}.csv").count == 2)
        for file in try InputFiles.expand(patterns: ["*.csv"], baseFolder: folder.path) {
            let source = try ByteSource(file, compression: .auto)
            var byte: UInt8 = 0
            #expect(try source.read(into: &byte, count: 1) == 1)
        }
    }

    @Test("a pattern that matches a dangling link fails")
    func danglingLinks() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "a.csv")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/b.csv", withDestinationPath: "gone.csv")
        for pattern in ["*.csv", "{a,b}.csv", "**/*.csv"] {
            let error = #expect(throws: RecordStreamError.self) {
                try InputFiles.expand(patterns: [pattern], baseFolder: folder.path)
            }
            #expect(error?.fault == Fault(.input, .missing))
            #expect(
                error.map { DiagnosticRenderer.text($0.diagnostic) } == """
                    \(folder.path)/b.csv: error: The symbolic link leads to a file that does not \
                    exist [input.missing]
                      fix: restore the file that it names, or remove the link
                    """)
        }
        #expect(
            try InputFiles.expand(patterns: ["a*"], baseFolder: folder.path).count == 1)
        // A link in the path may lead anywhere.
        #expect(try InputFiles.expand(patterns: ["*/a.csv"], baseFolder: folder.path).isEmpty)
    }

    @Test("an output name may have the maximum length")
    func longOutputs() throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: FileName.componentBytesMax)
        for text in ["one", "two"] {
            let output = try OutputFile(path: folder.path + "/" + name)
            try Array(text.utf8).withUnsafeBytes { try output.write($0) }
            _ = try output.finish(rowCount: 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    }
}

/// Files with arbitrary names.
enum RawFiles {
    /// Whether the file system of temporary files accepts names as bytes.
    static let areAllowed: Bool = {
        do {
            let folder = try TemporaryFolder()
            for name in ["e\u{301}", "\u{E9}", FileName(bytes: [0xE9])] {
                try write("", to: name, in: folder.path)
            }
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3
        } catch {
            return false
        }
    }()

    struct NotWritten: Error {}

    static func write(_ text: String, to name: FileName, in folder: String) throws {
        let path = FileName(folder).joining(name)
        guard let file = fopen(path.cString, "w") else { throw NotWritten() }
        fputs(text, file)
        fclose(file)
    }
}
