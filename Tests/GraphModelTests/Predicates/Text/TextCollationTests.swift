import TestSeeds
import Testing

@testable import GraphModel

@Suite("Order of texts")
struct TextCollationTests {
    private func compare(
        _ left: String, _ right: String, _ order: GraphSortDescriptor.TextOrder
    ) -> Int {
        Array(left.utf8).withUnsafeBufferPointer { left in
            Array(right.utf8).withUnsafeBufferPointer {
                TextCollation.compare(left, $0, order: order)
            }
        }
    }

    private func slow(
        _ left: String, _ right: String, _ order: GraphSortDescriptor.TextOrder
    ) -> Int {
        Array(left.utf8).withUnsafeBufferPointer { left in
            Array(right.utf8).withUnsafeBufferPointer { right in
                switch order {
                case .binary: TextCollation.bytes(left, right)
                case .caseInsensitive: TextCollation.slowFolded(left, right, .caseInsensitive)
                case .caseAndDiacriticInsensitive:
                    TextCollation.slowFolded(
                        left, right, [.caseInsensitive, .diacriticInsensitive])
                case .localizedStandard: LocalizedStandardOrder.slow(left, right)
                }
            }
        }
    }

    @Test(
        "the localized order sorts lists of names",
        arguments: [
            ["", "\t x", " ", "(a)", "-b", "_a", "$5", "+1", "😀", "0", "1", "01", "2", "9", "10"],
            ["file 9", "File 9", "file 09", "file 9 b", "file 10", "file 100", "file é"],
            ["cafe", "Cafe", "café", "Café", "cafes", "cafés", "caff"],
            ["a", "A", "à", "á", "ab", "Ab", "AB", "áb", "b"],
            ["1", "001", "1a", "1b", "12345678901234567890", "12345678901234567891", "½", "a"],
            ["strasse", "straße", "strassen", "z", "ø", "α", "б"],
            ["v1.2", "v1.10", "v2", "v10"], ["è 9", "é 10", "è 100"],
        ])
    func ordersNames(names: [String]) {
        for (place, name) in names.enumerated() {
            for (other, otherName) in names.enumerated() {
                let order = compare(name, otherName, .localizedStandard)
                #expect(order == (place - other).signum(), "\(name) and \(otherName)")
            }
        }
    }

    @Test(
        "texts are equal if they differ only in what the order ignores",
        arguments: [
            ("A", "a", GraphSortDescriptor.TextOrder.caseInsensitive, 0),
            ("É", "e\u{301}", .caseInsensitive, 0), ("É", "e", .caseInsensitive, 1),
            ("É", "e", .caseAndDiacriticInsensitive, 0), ("e\u{301}", "f", .caseInsensitive, 1),
            ("e\u{301}", "F", .caseAndDiacriticInsensitive, -1), ("A", "a", .binary, -1),
            ("_", "A", .caseInsensitive, -1), ("a", "ab", .caseInsensitive, -1),
            ("a", "A\u{301}", .caseAndDiacriticInsensitive, 0),
            ("é", "e\u{301}", .localizedStandard, 1), ("a\0", "a", .binary, 1),
        ])
    func comparesFolded(
        left: String, right: String, order: GraphSortDescriptor.TextOrder, expected: Int
    ) {
        #expect(compare(left, right, order) == expected)
        #expect(compare(right, left, order) == -expected)
    }

    @Test(
        "each order is total, with and without the fast paths",
        arguments: [
            GraphSortDescriptor.TextOrder.binary, .caseInsensitive, .caseAndDiacriticInsensitive,
            .localizedStandard,
        ])
    func isTotal(order: GraphSortDescriptor.TextOrder) {
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        let parts = [
            "a", "A", "b", "e", "E", "é", "É", "e\u{301}", "\u{301}", "\u{323}", "0", "1", "00",
            "٣", "9", " ", "-", "_", "$", "ß", "ss", "İ", "ı", "\u{212A}", "k", "😀", "가", "ᄀ", "ᅡ",
            "\0", "\u{10FFFF}", "z", "Ω", "ω", "ς", "\u{37E}", ";", "\u{302E}",
        ]
        var texts: [String] = []
        for _ in 0..<100 {
            let length = Int.random(in: 0...5, using: &random)
            texts.append(
                (0..<length).map { _ in parts.randomElement(using: &random) ?? "" }.joined())
        }
        for left in texts {
            for right in texts {
                let found = compare(left, right, order)
                let note: Comment = "seed \(seed): \(Array(left.utf8)), \(Array(right.utf8))"
                #expect(found == slow(left, right, order), note)
                #expect(found == -compare(right, left, order), note)
                if order == .binary || order == .localizedStandard {
                    #expect((found == 0) == (Array(left.utf8) == Array(right.utf8)), note)
                }
            }
        }
        // If an order is transitive, sorting orders every pair.
        let sorted = texts.sorted { compare($0, $1, order) < 0 }
        for index in sorted.indices {
            for later in sorted[index...] where compare(sorted[index], later, order) > 0 {
                Issue.record("seed \(seed): \(sorted[index]), \(later)")
            }
        }
    }

    @Test("compares with each option as the folded texts compare", arguments: UInt8(1)...3)
    func foldsByOptions(bits: UInt8) {
        let options = ComparisonOptions(rawValue: bits)
        let parts = ["", "a", "A", "b", "B", "E", "É", "\u{301}", "_", "ß"]
        let texts = parts.flatMap { one in parts.map { one + $0 } }
        for left in texts {
            for right in texts {
                Array(left.utf8).withUnsafeBufferPointer { one in
                    Array(right.utf8).withUnsafeBufferPointer { other in
                        let order = TextCollation.slowFolded(one, other, options)
                        #expect(
                            TextCollation.folded(one, other, options) == order,
                            "\(Array(left.utf8)), \(Array(right.utf8))")
                        #expect(
                            TextComparison.holds(.equal, one, other, options) == (order == 0))
                    }
                }
            }
        }
    }

    @Test("folds characters by table as it folds complete texts", arguments: UInt8(0)...3)
    func foldsByTable(bits: UInt8) {
        let options = ComparisonOptions(rawValue: bits)
        let ranges: [ClosedRange<UInt32>] = [
            0...0x3FF, 0x1E00...0x2070, 0x5000...0x5010, 0x8FF0...0x9000, 0x1F2F0...0x1FAFF,
        ]
        var simple = 0
        for value in ranges.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "e\(scalar)Z\(scalar)", "É\(scalar)İ", "ß–\(scalar)ǅ"] {
                Array(text.utf8).withUnsafeBufferPointer { bytes in
                    guard let folded = TextComparison.simplyFolded(bytes, options) else { return }
                    simple += 1
                    #expect(folded == TextComparison.composed(bytes, options), "U+\(value)")
                }
            }
        }
        #expect(simple > 4_000)
        for broken: [UInt8] in [[0xC3], [0xE2, 0x80], [0xC3, 0x41], [0xF0, 0x9F, 0x8C], [0xFF]] {
            broken.withUnsafeBufferPointer {
                #expect(TextComparison.simplyFolded($0, options) == nil)
            }
        }
    }
}
