import Testing

@testable import XcodeModel

@Suite("XML reader") struct XMLReaderTests {
    private func problem(_ text: String) -> String {
        do throws(XMLProblem) {
            _ = try XMLReader.read(Array(text.utf8))
            return "none"
        } catch {
            return "\(error.line):\(error.column): \(error.message)"
        }
    }

    @Test func readsElementsTextAndPositions() throws {
        let root = try XMLReader.read(
            Array(
                """
                \u{FEFF}<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <!-- <not read> -->
                <!DOCTYPE model [ <!ENTITY x "y>"> <!-- ] --> ]>
                <model a = '1 < &#50;' ß="&quot;&#x1F600;&lt;&gt;&apos;&amp;">
                  é<b><![CDATA[<&]]>]]&gt;</b ><?skip me?><c/>
                </model>
                """.replacing("1 < ", with: "1 &lt; ").utf8))
        #expect(root.name == "model")
        #expect(root["a"] == "1 < 2")
        #expect(root["ß"] == "\"😀<>'&")
        #expect(root.attributes.map { [$0.line, $0.column] } == [[4, 8], [4, 27]])
        #expect(root.children.map(\.name) == ["b", "c"])
        #expect(root.children[0].text == "<&]]>")
        #expect([root.children[0].line, root.children[0].column] == [5, 4])
        #expect(root.text == "\n  é\n")
    }

    @Test func normalizesLineEndsAndSpaceInValues() throws {
        let root = try XMLReader.read(Array("<a b='1\r\n2\t3&#10;4'>x\r\ny\rz</a>".utf8))
        #expect(root["b"] == "1 2 3\n4")
        #expect(root.text == "x\ny\nz")
    }

    @Test(arguments: [
        ("", "1:1: The file holds no element"),
        ("text", "1:1: A document begins with '<'"),
        ("<a>", "1:4: <a> of line 1 is never closed; the file may be truncated"),
        ("<a>\n <b></a>", "2:5: </a> is found where </b> must close the element of line 2"),
        ("<a b=1/>", "1:6: The value of 'b' must be in quotes"),
        ("<a b/>", "1:5: '=' and a value in quotes must follow 'b'"),
        ("<a b='1'c='2'/>", "1:9: A space must come before an attribute"),
        ("<a b='1'\n b='2'/>", "2:2: 'b' is in <a> twice"),
        ("<a b='<'/>", "1:7: '<' in a value must be written as '&lt;'"),
        ("<a b='1/>", "1:6: The value of 'b' is not closed"),
        ("<a>&nbsp;</a>", "1:4: The entity '&nbsp;' is not known; only XML's own five are read"),
        ("<a>&#0;</a>", "1:4: '&#0;' is not a character"),
        ("<a>&#xD800;</a>", "1:4: '&#xD800;' is not a character"),
        ("<a>a & b</a>", "1:6: '&' must be written as '&amp;'"),
        ("<a/><b/>", "1:5: Nothing may follow the root element"),
        ("<a><!-- ", "1:4: The comment never ends"),
        ("<!DOCTYPE a [", "1:1: The document type is not closed"),
        ("<a>\u{1}</a>", "1:4: XML has no place for the control character 1"),
        ("<1a/>", "1:4: An element needs a name here"),
        (
            "<?xml version='1.0' encoding='latin1'?><a/>",
            "1:1: The encoding is latin1; only UTF-8 is read"
        ),
        (
            "<?xml version='1.0'\n encoding='latin1'?><a/>",
            "1:1: The encoding is latin1; only UTF-8 is read"
        ),
    ])
    func reportsErrorsWithTheirPosition(text: String, expected: String) {
        #expect(problem(text) == expected)
    }

    @Test func rejectsInvalidUTF8() {
        let problem = #expect(throws: XMLProblem.self) {
            try XMLReader.read([UInt8(ascii: "<"), 0xFF])
        }
        #expect(problem?.message == "The file is not valid UTF-8")
    }

    @Test func neverExpandsDeclaredEntities() {
        let text = """
            <!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>
            <a>&c;</a>
            """
        #expect(
            problem(text) == "2:4: The entity '&c;' is not known; only XML's own five are read")
    }

    @Test func limitsDepth() {
        let text = String(repeating: "<a>", count: 100_000)
        #expect(problem(text) == "1:193: Elements are nested more than 64 deep")
    }
}
