import TestSeeds
import Testing

@testable import Pipelines

@Suite("Text on a terminal") struct DisplayTextTests {
    @Test(arguments: [
        ("", 0), ("plain", 5), ("café", 4), ("cafe\u{301}", 4), ("日本語", 6), ("ﾊﾝｶｸ", 4),
        ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("🔥 hot", 6), ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2),
        ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("דחוף", 4), ("a\u{200B}b", 2), ("１２", 4), ("…", 1),
        ("สวัสดี", 4), ("é̂̃", 1), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("𠀀", 2),
    ])
    func computesTheDisplayWidthInColumns(text: String, columns: Int) {
        #expect(DisplayWidth.columns(text) == columns)
    }

    @Test(arguments: [
        ("plain", "plain"), ("two words", "two words"),
        // Strings that a reader could mistake for another value are quoted.
        ("", #""""#), ("nil", #""nil""#), (" a", #"" a""#), ("a ", #""a ""#),
        (#""a\"#, #""\"a\\""#),
        // Characters that control the terminal are escaped.
        ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1B}[31mred\u{7}", #"\u{1B}[31mred\u{7}"#),
        ("\u{9B}2J\u{7F}", #"\u{9B}2J\u{7F}"#), ("a\u{202E}b\u{2028}", #"a\u{202E}b\u{2028}"#),
        ("\u{0}", #"\u{0}"#), (#"C:\new"#, #"C:\new"#),
    ])
    func escapesControlCharactersAndQuotesAmbiguousText(text: String, cell: String) {
        #expect(Self.cell(text, 80) == cell)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"),
        ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 2, "…"),
        ("cafe\u{301}s", 5, "cafe\u{301}s"), ("cafe\u{301}s!", 5, "cafe\u{301}…"),
        ("👩‍👩‍👧‍👦👍🏽x", 5, "👩‍👩‍👧‍👦👍🏽x"), ("👩‍👩‍👧‍👦👍🏽x", 4, "👩‍👩‍👧‍👦…"), ("a\u{1B}b", 5, "a\\u{…"),
    ])
    func truncatesCellsBetweenCharacters(text: String, columns: Int, cell: String) {
        let found = Self.cell(text, columns)
        #expect(found == cell)
        #expect(DisplayWidth.columns(found) <= columns)
    }

    @Test func truncatesVeryLongTextAndCombiningMarks() {
        #expect(Self.cell(String(repeating: "x", count: 1 << 20), 4) == "xxx…")
        let marks = "a" + String(repeating: "\u{301}", count: 1 << 16)
        let cell = Self.cell(marks, 4)
        #expect(cell.unicodeScalars.first == "a" && cell.utf8.count < 200)
    }

    private static func cell(_ text: String, _ columns: Int) -> String {
        var copy = text
        return copy.withUTF8 { DisplayText.cell($0, columnsMax: columns) }
    }
}

@Suite("Table layout") struct TableLayoutTests {
    private typealias Column = TableLayout.Column

    private static func text(_ name: Int, _ value: Int) -> TableLayout.Column {
        Column(nameWidth: name, valueWidth: value, mayBeTruncated: true)
    }

    private static func number(_ name: Int, _ value: Int) -> TableLayout.Column {
        Column(nameWidth: name, valueWidth: value, mayBeTruncated: false)
    }

    @Test(arguments: [
        // All of it fits.
        ([text(2, 5), number(8, 1)], 80, [5, 8]),
        ([text(2, 5), number(8, 1)], 15, [5, 8]),
        // Names give way first, then texts.
        ([text(2, 5), number(8, 1)], 14, [5, 7]),
        ([text(2, 60), text(2, 60)], 80, [39, 39]),
        ([text(2, 12), text(2, 100), number(4, 4)], 80, [12, 60, 4]),
        // No text is wider than it must be while a name is cut.
        ([text(2, 60), text(2, 60), number(40, 1)], 80, [18, 18, 40]),
        ([text(30, 90), text(2, 90), text(22, 90)], 70, [30, 14, 22]),
        ([number(20, 1), text(2, 60), number(20, 1)], 54, [20, 10, 20]),
        // Columns that do not fit are omitted; space remains for the mark of the omission.
        ([number(2, 36), number(2, 20), number(2, 20)], 80, [36, 20, 20]),
        ([number(2, 36), number(2, 20), number(2, 20)], 79, [36, 20]),
        ([number(2, 36), number(2, 20), number(2, 17)], 79, [36, 20, 17]),
        ([number(2, 36), number(2, 20), number(2, 20), text(1, 1)], 63, [36, 20]),
        ([number(2, 36), number(2, 20), number(2, 20), text(1, 1)], 60, [36]),
        // The first column is there in any case.
        ([number(2, 36), text(2, 5)], 20, [17]),
        ([number(2, 36)], 20, [20]),
        ([number(2, 36), number(2, 5)], 1, [1]),
        ([], 80, []),
    ])
    func columnsFitTheWidth(columns: [TableLayout.Column], width: Int, expected: [Int]) {
        #expect(TableLayout(columns, width: width).widths == expected)
    }

    @Test func layoutIsNeverWiderThanTheTerminal() {
        let seed = TestSeed.ofThisRun
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let columns = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                Column(
                    nameWidth: .random(in: 1...20, using: &generator),
                    valueWidth: .random(in: 0...200, using: &generator),
                    mayBeTruncated: .random(using: &generator))
            }
            let width = Int.random(in: 4...200, using: &generator)
            let widths = TableLayout(columns, width: width).widths
            let mark = widths.count < columns.count ? 3 : 0
            let gaps = 2 * (widths.count - 1)
            let used: Int = widths.reduce(gaps + mark, +)
            #expect(used <= width, "ETL_TEST_SEED=\(seed)")
            #expect(widths.min() ?? 0 > 0, "ETL_TEST_SEED=\(seed)")
        }
    }
}
