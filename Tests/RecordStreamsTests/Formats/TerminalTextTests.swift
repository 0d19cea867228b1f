import Testing

@testable import RecordStreams

@Suite("Text for terminals") struct TerminalTextTests {
    @Test(
        "control characters are escaped, and other characters are unchanged",
        arguments: [
            ("a\u{1B}[31mb", #"a\u001b[31mb"#), ("\u{1}\u{7F}", #"\u0001\u007f"#),
            ("\u{80}é\u{9B}0m", #"\u0080é\u009b0m"#), ("©\u{9F}", #"©\u009f"#),
            ("a\tb\né\u{A0}©", nil), ("", nil),
        ] as [(String, String?)])
    func escapes(text: String, expected: String?) {
        let escaped = Array(text.utf8).withUnsafeBytes { TerminalText.escaped($0) }
        #expect(escaped.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test("a lead byte at the end is not a control character")
    func cutCharacter() {
        #expect([UInt8(ascii: "a"), 0xC2].withUnsafeBytes { TerminalText.escaped($0) } == nil)
    }
}
