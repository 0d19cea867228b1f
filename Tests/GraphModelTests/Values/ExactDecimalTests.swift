import Testing

@testable import GraphModel

@Suite("Decimals with all their digits")
struct ExactDecimalTests {
    private static func read(_ text: String) -> ExactDecimal? {
        withBytes(text) { ExactDecimal($0) }
    }

    @Test(
        "the canonical text has no exponent, no trailing zeros, and no -0",
        arguments: [
            ("0", "0"), ("-0.00", "0"), ("0e9999999999", "0"), ("1.50", "1.5"), ("-15e-1", "-1.5"),
            ("1e3", "1000"), ("0.001", "0.001"), ("1200", "1200"), ("-120e1", "-1200"),
            ("12345678901234567890.123456789012345678", "12345678901234567890.123456789012345678"),
            (
                "99999999999999999999999999999999999999",
                "99999999999999999999999999999999999999"
            ),
            ("100000000000000000000000000000000000000000", "1" + String(repeating: "0", count: 41)),
            (
                "0.00000000000000000000000000000000000000000000000000001",
                "0.00000000000000000000000000000000000000000000000000001"
            ),
            ("123456789012345678901e-21", "0.123456789012345678901"),
            ("0.1234567890123456789010", "0.123456789012345678901"),
        ])
    func writesCanonicalText(text: String, canonical: String) {
        let number = Self.read(text)
        #expect(number?.text == canonical)
        #expect(Self.read(canonical) == number)
        #expect(
            withBytes(text) { ExactDecimal.isCanonical($0) }
                == (text == canonical && text.utf8.count <= 38))
    }

    @Test(
        "strings that are not numbers come after numbers, in the order of their bytes",
        arguments: [
            ("1.0", "1", 0), ("2", "10", -1), ("9", "x", -1), ("x", "9", 1), ("a", "b", -1),
            ("b", "a", 1),
        ])
    func ordersTexts(left: String, right: String, expected: Int) {
        let order = withBytes(left) { left in
            withBytes(right) { ExactDecimal.order(ofTexts: left, $0) }
        }
        #expect(order.signum() == expected)
    }

    @Test(
        "rejects text that is not a JSON number or has more than 38 digits",
        arguments: [
            "", "-", "+1", "01", ".5", "1.", "1e", "NaN", "1 ", "0x1",
            "123456789012345678901234567890123456789",
            "1.00000000000000000000000000000000000001",
        ])
    func refuses(text: String) {
        #expect(Self.read(text) == nil)
        #expect(!withBytes(text) { ExactDecimal.isCanonical($0) })
    }

    @Test("numbers with too large an exponent can be read, but not stored")
    func storable() {
        #expect(Self.read("1e164")?.isStorable == true)
        #expect(Self.read("1e165")?.isStorable == false)
        #expect(Self.read("1e-128")?.isStorable == true)
        #expect(Self.read("1e-129")?.isStorable == false)
    }

    @Test("converts a double by its shortest text")
    func fromDoubles() {
        #expect(ExactDecimal(0.1)?.text == "0.1")
        #expect(ExactDecimal(-1e-7)?.text == "-0.0000001")
        #expect(ExactDecimal(1_152_921_504_606_846_976.0)?.text == "1152921504606847000")
        #expect(ExactDecimal(1e300)?.exponent == 300)
        #expect(ExactDecimal(Double.infinity) == nil)
        #expect(ExactDecimal(Double.nan) == nil)
        #expect(ExactDecimal(-0.0)?.text == "0")
        #expect(ExactDecimal(Int64.min).text == "-9223372036854775808")
    }

    @Test("decimals sort by their numeric value")
    func orders() throws {
        let ascending = try [
            "-1e200", "-12345678901234567890123456789012345679",
            "-12345678901234567890123456789012345678", "-10", "-9.99999999999999999999",
            "-1e-30", "0", "1e-31", "1e-30", "0.09999999999999999999999", "0.1", "0.11", "2", "10",
            "10.00000000000000000000000000000000001", "99", "100", "1e37", "1e200",
        ].map { try #require(Self.read($0)) }
        for (left, one) in ascending.enumerated() {
            for (right, other) in ascending.enumerated() {
                #expect(ExactDecimal.order(one, other) == (left - right).signum())
                #expect((one < other) == (left < right))
            }
        }
    }
}
