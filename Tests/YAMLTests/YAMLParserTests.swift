import Diagnostics
import Testing

@testable import YAML

@Suite("YAML parser") struct YAMLParserTests {
    private func problems(_ text: String, limits: YAMLLimits = YAMLLimits()) -> String {
        YAMLParser.parse(text, file: "a.yaml", limits: limits).diagnostics
            .map(DiagnosticRenderer.text).joined(separator: "\n")
    }

    @Test func marksEveryKeyAndValueFromOne() throws {
        let (root, diagnostics) = YAMLParser.parse("a: 1\nb:\n  - é: x\n  - y\n")
        #expect(diagnostics.isEmpty)
        guard case .mapping(let entries) = try #require(root).content,
            case .sequence(let items) = entries[1].value.content,
            case .mapping(let inner) = items[0].content
        else {
            Issue.record("the tree has another shape")
            return
        }
        #expect(entries.map(\.key) == ["a", "b"])
        #expect(entries[0].keyMark == YAMLMark(line: 1, column: 1))
        #expect(entries[0].value.mark == YAMLMark(line: 1, column: 4))
        #expect(inner[0].keyMark == YAMLMark(line: 3, column: 5))
        #expect(inner[0].value.mark == YAMLMark(line: 3, column: 8))
        #expect(items[1].mark == YAMLMark(line: 4, column: 5))
    }

    @Test(arguments: [
        ("no", YAMLScalar.Value.text), ("yes", .text), ("on", .text), ("", .null), ("~", .null),
        ("Null", .null), ("nULL", .text), ("true", .boolean(true)), ("FALSE", .boolean(false)),
        ("tRue", .text), ("0777", .integer(777)), ("0o777", .integer(511)),
        ("0xff", .integer(255)), ("-0x1", .text), ("0o8", .text), ("+12", .integer(12)),
        ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .real(0x1p63)),
        ("1_000", .text), ("1:30", .text), ("1.", .real(1)), (".5", .real(0.5)), (".", .text),
        ("1e3", .real(1000)), ("1.e3", .real(1000)), ("1e", .text), ("e3", .text), ("-", .text),
        ("-.inf", .real(-.infinity)), ("inf", .text), ("nan", .text), ("2026-01-02", .text),
        ("0..2", .text), ("12e03", .real(12000)), ("-2E+05", .real(-200_000)), ("0x", .text),
    ])
    func resolvesPlainScalarsByTheCoreSchema(text: String, value: YAMLScalar.Value) {
        #expect(YAMLScalar(plain: text).value == value)
    }

    @Test func resolvesNotANumber() {
        guard case .real(let number) = YAMLScalar(plain: ".nan").value else {
            Issue.record(".nan is no number")
            return
        }
        #expect(number.isNaN)
    }

    @Test func keepsQuotedScalarsAsText() {
        let (root, diagnostics) = YAMLParser.parse("[\"1\", 'true', !!str 2, ! 3, !!float 4]")
        #expect(diagnostics.isEmpty)
        guard case .sequence(let items) = root?.content else {
            Issue.record("not a list")
            return
        }
        let values = items.map { item -> YAMLScalar.Value? in
            guard case .scalar(let scalar) = item.content else { return nil }
            return scalar.value
        }
        #expect(values == [.text, .text, .text, .text, .integer(4)])
    }

    @Test func skipsAByteOrderMark() {
        let (root, diagnostics) = YAMLParser.parse(
            [0xEF, 0xBB, 0xBF] + Array("a: 1".utf8), file: "a")
        #expect(diagnostics.isEmpty)
        #expect(root?.mark == YAMLMark(line: 1, column: 1))
    }

    @Test func reportsDuplicatesTagsAndMergeKeysTogether() {
        let text = """
            base: &base { x: 1 }
            a: 1
            stages:
              - set: { t: 1, t: 2 }
              - <<: *base
                "<<": text
            a: !color red
            b: !!int x
            [1]: 2
            """
        #expect(
            problems(text) == """
                a.yaml:4:18: error: The key 't' is already on line 4 [yaml.duplicate-key]
                  in: stages[0].set.t
                  fix: keep one of the two
                a.yaml:5:5: error: Merge keys are not part of YAML 1.2 [yaml.merge-key]
                  in: stages[1]
                  fix: write the keys out, or use an alias for the complete value
                a.yaml:7:1: error: The key 'a' is already on line 2 [yaml.duplicate-key]
                  in: a
                  fix: keep one of the two
                a.yaml:7:4: error: The tag '!color' is not known here [yaml.tag]
                  in: a
                  fix: remove the tag
                a.yaml:8:4: error: The tag '!!int' does not fit this value [yaml.tag]
                  in: b
                  fix: remove the tag
                a.yaml:9:1: error: A key must be text, not a list or a mapping [yaml.key]
                """)
    }

    @Test(arguments: [
        (
            "a: [1, 2\nb: 3\n",
            """
            a.yaml:2:2: error: Did not find expected ',' or ']', while parsing a flow sequence \
            that begins at line 1 [yaml.syntax]
              in: a
            """
        ),
        (
            "a:\n\t- 1\n",
            """
            a.yaml:2:1: error: Found character that cannot start any token, while scanning for \
            the next token that begins at line 2 [yaml.syntax]
              in: a
              fix: indent with spaces, and put text that begins with @, `, %, or a tab in quotes
            """
        ),
        (
            "a: 1\n---\nb: 2\n",
            "a.yaml:2:1: error: A second document begins here [yaml.documents]\n  fix: keep one document per file"
        ),
        ("# nothing\n", "a.yaml:2:1: error: The file holds no document [yaml.empty]"),
        (
            "%YAML 1.1\n---\na: no\n",
            "a.yaml:1:1: error: The document says YAML 1.1, not 1.2 [yaml.version]\n  fix: remove the %YAML line"
        ),
        (
            "a: &x [1, *x]",
            "a.yaml:1:11: error: The alias '*x' is inside its own anchor [yaml.alias]\n  in: a[1]"
        ),
        (
            "a: { \"b c\": *x }",
            "a.yaml:1:13: error: No anchor '&x' precedes this alias [yaml.alias]\n  in: a[\"b c\"]"
        ),
    ])
    func reportsTheFirstSyntaxError(text: String, expected: String) {
        #expect(problems(text) == expected)
    }

    @Test func rejectsInvalidUTF8AndControlCharacters() {
        let bytes = Array("a: 1\nb: é".utf8) + [0xFF]
        let found = YAMLParser.parse(bytes, file: "a.yaml").diagnostics
        #expect(
            found.map(DiagnosticRenderer.text) == [
                "a.yaml:2:5: error: The file is not UTF-8 text [yaml.encoding]"
            ])
        let control = YAMLParser.parse("a: 1\nbé: \u{7}", file: "a.yaml").diagnostics
        #expect(
            control.map(DiagnosticRenderer.text) == [
                "a.yaml:2:5: error: Control characters are not allowed [yaml.syntax]"
            ])
    }

    @Test func sharesTheNodesOfAnAlias() {
        let (root, diagnostics) = YAMLParser.parse("a: &x { k: [1] }\nb: *x\n")
        #expect(diagnostics.isEmpty)
        guard case .mapping(let entries) = root?.content else {
            Issue.record("not a mapping")
            return
        }
        #expect(entries[0].value.content == entries[1].value.content)
        #expect(entries[1].value.mark == YAMLMark(line: 2, column: 4))
    }

    @Test func rejectsAliasesThatExpandToOver100000Nodes() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let items = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(items)]\n"
        }
        #expect(
            problems(text) == """
                a.yaml:5:45: error: The document has more than 100000 nodes once its aliases are \
                followed [yaml.too-many-nodes]
                  in: a4[7]
                """)
    }

    @Test func rejectsNestingOver64Levels() {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        #expect(problems(deep(64)).isEmpty)
        #expect(
            problems(deep(65)) == """
                a.yaml:1:65: error: Lists and mappings are nested more than 64 levels deep \
                [yaml.too-deep]
                """)
        #expect(problems("a: &x \(deep(60))\nb: [[[*x]]]").isEmpty)
        #expect(
            problems("a: &x \(deep(60))\nb: [[[[*x]]]]") == """
                a.yaml:2:8: error: Lists and mappings are nested more than 64 levels deep \
                [yaml.too-deep]
                """)
    }

    @Test func rejectsFilesOverTheSizeLimit() {
        #expect(
            problems("a: 12345", limits: YAMLLimits(bytesMax: 7)) == """
                a.yaml: error: The file is larger than 7 bytes [yaml.too-large]
                """)
        let endless = YAMLParser.parse(file: "/dev/zero").diagnostics
        #expect(
            endless.map(DiagnosticRenderer.text) == [
                "/dev/zero: error: The file is larger than 4194304 bytes [yaml.too-large]"
            ])
    }

    @Test func reportsAMissingFile() {
        let found = YAMLParser.parse(file: "/nowhere/a.yaml").diagnostics
        #expect(
            found.map(DiagnosticRenderer.text) == [
                "/nowhere/a.yaml: error: The file does not exist [file.missing]"
            ])
    }
}
