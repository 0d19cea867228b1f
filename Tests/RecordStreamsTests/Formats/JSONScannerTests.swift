import RecordStreams
import Testing

@Suite("JSON scanner") struct JSONScannerTests {
    private static func accepts(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { JSONScanner.validate($0) }
    }

    @Test(arguments: [
        "[]", "{}", "\"\"", "0", "-0", "-0.0e+00", "1E22", "123e65", "true", "false", "null",
        " [ ] ",
        "\r\n\t[1]\n", "[[],[[]]]", #"{"a":{"b":[{}]},"a":1}"#, #"{"":0}"#,
        #"["\"\\\/\b\f\n\r\t"]"#,
        #"["\u0000\u00e9\uD834\uDD1E\uFFFF"]"#, "[\"\u{7F}\u{80}é€😀\u{10FFFF}\u{2028}\"]",
        "[1,2.5,-3e-2]", "[\"new\u{A0}line\"]", "\u{FEFF}[]", #"[1.7976931348623157e308, 1e400]"#,
    ])
    func accepts(text: String) {
        #expect(Self.accepts(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "[", "]", "{", "}", "[1", "[1,", "[,1]", "[1,,2]", "[1,]", "[1 2]", "[1]]", "[1]x",
        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{1:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\"::1}", "{\"a\":1]", "[1}", "01", "-01", "-", "+1", ".5", "1.", "1.e1", "1e", "1e+",
        "0x1", "1_000", "NaN", "Infinity", "-Infinity", "nul", "truE", "tru", "nulll", "[tru]",
        "\"", "\"a", "'a'", "\"\\", "\"\\a\"", "\"\\u12\"", "\"\\u123g\"", "\"\\U0041\"",
        "\"\u{0}\"",
        "\"\n\"", "\"\t\"", "\"\\ud800\"", "\"\\ud800\\n\"", "\"\\udc00\"", "\"\\ud800\\ud800\"",
        "[1]//", "/**/[]", "#", "\u{A0}[]", "\u{C}[]", "[\u{2060}]", "1 2", "[] []", "*", "[\"a\"",
        "{\"a\":\"b\"}/", "{\"a\":[}", "\u{FEFF}", "[\"a\",\n4\n,1,",
    ])
    func refuses(text: String) {
        #expect(!Self.accepts(Array(text.utf8)))
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE9, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22], [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], [0xE5],
            [0x5B, 0xFF, 0x5D],
            [0x22, 0xE2, 0x82], [0xFE, 0xFF, 0x00, 0x5B], [0x5B, 0x00, 0x5D],
        ] as [[UInt8]])
    func refusesInvalidUTF8(bytes: [UInt8]) {
        #expect(!Self.accepts(bytes))
    }

    @Test func limitsDepthWithoutCrashing() {
        let nested = { (depth: Int) in
            Array(repeating: UInt8(ascii: "["), count: depth)
                + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(Self.accepts(nested(512)))
        #expect(!Self.accepts(nested(513)))
        #expect(!Self.accepts(Array(repeating: UInt8(ascii: "["), count: 100_000)))
        #expect(!Self.accepts(Array(String(repeating: "{\"\":", count: 100_000).utf8)))
    }
}
