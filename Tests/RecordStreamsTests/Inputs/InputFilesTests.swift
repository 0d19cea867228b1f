import Diagnostics
import Files
import RecordStreams
import Testing

@Suite("Input files") struct InputFilesTests {
    @Test(arguments: [
        (["*.csv"], ["a.csv", "b.csv"]),
        (["**/*.csv"], ["a.csv", "b.csv", "x/c.csv", "x/y/d.csv"]),
        (["x/**"], ["x/c.csv", "x/y/d.csv"]), (["?.json"], ["e.json"]),
        (["b.csv", "a.csv"], ["a.csv", "b.csv"]),
        (["{a,e}.{csv,json}"], ["a.csv", "e.json"]), (["a.csv", "*.csv"], ["a.csv", "b.csv"]),
        (["*.none"], []), (["x/{c,y/d}.csv"], ["x/c.csv", "x/y/d.csv"]), (["./a.csv"], ["a.csv"]),
        (["[x]*"], ["[x].txt"]), (["*/*/d.csv"], ["x/y/d.csv"]),
    ])
    func expands(patterns: [String], expected: [String]) throws {
        let folder = try TemporaryFolder()
        for name in ["b.csv", "a.csv", "x/c.csv", "x/y/d.csv", "e.json", ".hidden.csv", "[x].txt"] {
            try folder.write([1, 2, 3], to: name)
        }
        let files = try InputFiles.expand(patterns: patterns, baseFolder: folder.path)
        #expect(files.map(\.path.displayText) == expected.map { folder.path + "/" + $0 })
        #expect(files.allSatisfy { $0.byteCount == 3 })
    }

    @Test(
        "the character after a backslash is literal",
        arguments: [
            (#"a\*b.csv"#, ["a*b.csv"]), (#"a\{b.csv"#, ["a{b.csv"]), (#"?\*b.csv"#, ["a*b.csv"]),
            (#"{c\,d,axb}.csv"#, ["axb.csv", "c,d.csv"]),
            (#"{a{\*b,xb},c\,d}.csv"#, ["a*b.csv", "axb.csv", "c,d.csv"]),
        ])
    func literalCharacters(pattern: String, expected: [String]) throws {
        let folder = try TemporaryFolder()
        for name in ["a*b.csv", "a{b.csv", "c,d.csv", "axb.csv"] { try folder.write([1], to: name) }
        let files = try InputFiles.expand(patterns: [pattern], baseFolder: folder.path)
        #expect(files.map(\.path.displayText) == expected.map { folder.path + "/" + $0 })
    }

    @Test("standard input is named by a hyphen")
    func standardInput() throws {
        #expect(try InputFiles.file(at: "-") == .standardInput)
    }

    @Test(
        "a path without a list is the name of a column",
        arguments: [
            ("a", "a"), ("a.b", "a.b"), (#"a\.b"#, "a.b"), ("a[*]", nil), ("a.b[*].c", nil),
        ] as [(String, String?)])
    func columnNames(path: String, expected: String?) throws {
        #expect(try FieldPath(parsing: path).columnName == expected)
    }

    @Test func reportsAMissingFileByItsPath() throws {
        do throws(RecordStreamError) {
            _ = try InputFiles.expand(patterns: ["none.csv"], baseFolder: "/nowhere")
            Issue.record("found")
        } catch {
            #expect(error.code == "input.missing")
            #expect(error.fault.kind == .missing)
            #expect(error.location.source == "/nowhere/none.csv")
        }
        #expect(try InputFiles.expand(patterns: ["-"], baseFolder: "/x") == [.standardInput])
    }

    @Test(arguments: [
        ("owner.email", [FieldPath.Step.name("owner"), .name("email")]),
        ("tags[*]", [.name("tags"), .each]), ("a\\.b", [.name("a.b")]),
        ("items[*].sku", [.name("items"), .each, .name("sku")]),
        ("a[*][*]", [.name("a"), .each, .each]), ("Full Name", [.name("Full Name")]),
    ])
    func parsesPaths(text: String, steps: [FieldPath.Step]) throws {
        #expect(try FieldPath(parsing: text).steps == steps)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a[0]", "a[*]b", "[*]", "a\\", "a[", "a.[*]"])
    func rejectsInvalidFieldPaths(text: String) {
        #expect(throws: FieldPathError.self) { try FieldPath(parsing: text) }
    }

    @Test(arguments: [
        ("", 0), ("a.", 2), (".a", 0), ("é..b", 2), ("a[0]", 1), ("a[*]b", 4), ("[*]", 0),
        ("a\\", 1), ("a\\[[", 3), ("a.b[*].[*]", 7), ("a[*]\\b", 4),
        (Array(repeating: "a", count: 65).joined(separator: "."), 0),
    ])
    func reportsTheOffsetOfAFieldPathError(text: String, offset: Int) {
        do throws(FieldPathError) {
            _ = try FieldPath(parsing: text)
            Issue.record("parsed")
        } catch {
            #expect(error.offset == offset)
        }
    }

    @Test(arguments: [
        ("$", []), ("$[*]", [FieldPath.Step.each]),
        ("$.data.items[*]", [.name("data"), .name("items"), .each]),
    ])
    func parsesPathsToRecords(text: String, steps: [FieldPath.Step]) throws {
        #expect(try FieldPath.documentSteps(text).steps == steps)
    }

    @Test(arguments: [
        ("", 0), ("items", 0), ("$x", 1), ("$.", 2), ("$[0]", 1), ("$.a..b", 4), ("$.a[*]b", 6),
        ("$.*.a", 2), ("$.a.*[*]", 4),
    ])
    func reportsTheOffsetOfARecordPathError(text: String, offset: Int) {
        do throws(FieldPathError) {
            _ = try FieldPath.documentSteps(text)
            Issue.record("parsed")
        } catch {
            #expect(error.offset == offset)
        }
    }
}
