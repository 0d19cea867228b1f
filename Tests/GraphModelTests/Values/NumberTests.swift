import TestSeeds
import Testing

@testable import GraphModel

@Suite("Numbers from and to text")
struct NumberTests {
    @Test(
        "reads integers by the JSON grammar and within the range",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("007", nil), ("-01", nil), ("+1", nil), ("1.0", nil),
            ("1e3", nil), ("", nil), ("-", nil), (" 1", nil), ("1 ", nil), ("0x10", nil),
            ("99999999999999999999", nil), ("1_000", nil), ("١", nil),
        ] as [(String, Int64?)])
    func readsIntegers(text: String, expected: Int64?) {
        #expect(withBytes(text) { ScalarParser.integer($0) } == expected)
    }

    @Test(
        "reads JSON numbers with an integral value exactly",
        arguments: [
            ("1.0", 1), ("1e3", 1000), ("1E+3", 1000), ("12.50e1", 125), ("-1.20e1", -12),
            ("1.9", nil), ("1e-1", nil), ("10e-1", 1), ("9223372036854775807.0", Int64.max),
            ("-9223372036854775808.000", .min), ("9223372036854775808.0", nil),
            ("9.223372036854775807e18", Int64.max), ("1e19", nil), ("1e999999999999999999999", nil),
            ("0e999999999999999999999", 0), ("0.0", 0), ("-0.0", 0), (".5", nil), ("1.", nil),
            ("1e", nil), ("01.0", nil), ("NaN", nil),
            ("100000000000000000000e-2", 1_000_000_000_000_000_000),
            ("0.00000000000000000000000000001e29", 1),
        ] as [(String, Int64?)])
    func readsIntegralNumbers(text: String, expected: Int64?) {
        #expect(withBytes(text) { ScalarParser.jsonIntegral($0) } == expected)
    }

    @Test(
        "reads the nearest double",
        arguments: [
            ("0", 0), ("1", 1), ("-1.5", -1.5), ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23),
            ("123456789012345678", 123_456_789_012_345_680), ("9007199254740993", 9007199254740992),
            ("9007199254740995", 9007199254740996), ("0.30000000000000004", 0.30000000000000004),
            ("17976931348623157e292", .greatestFiniteMagnitude), ("1e309", nil), ("-1e400", nil),
            ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown),
            ("8.5e-1", 0.85), ("1e", nil), ("", nil), ("-", nil), ("0123", nil), ("inf", nil),
            ("nan", nil), ("0x1p3", nil), ("1,5", nil), ("--1", nil),
            ("12345678901234567890123456789", 1.2345678901234568e28),
        ] as [(String, Double?)])
    func readsDoubles(text: String, expected: Double?) {
        #expect(withBytes(text) { ScalarParser.double($0) } == expected)
    }

    @Test(
        "rounds to the nearest float once",
        arguments: [
            ("0.1", 0.1), ("1", 1), ("16777217", 16_777_216), ("16777219", 16_777_220),
            ("1.000000059604644775390625", 1), ("1.00000005960464477539062499999", 1),
            ("1.00000005960464477539062500001", Float(1).nextUp),
            ("-1.00000005960464477539062500001", Float(-1).nextDown),
            ("1.00000017881393432617187499", Float(1).nextUp),
            ("340282356779733661637539395458142568447.9", .greatestFiniteMagnitude),
            ("340282356779733661637539395458142568448", .infinity), ("1e39", .infinity),
            ("1e-50", 0), ("7e-46", 0), ("7.1e-46", .leastNonzeroMagnitude),
        ] as [(String, Float)])
    func readsFloats(text: String, expected: Float) {
        let float = withBytes(text) { bytes in
            ScalarParser.double(bytes).map { ScalarParser.float(bytes, nearestDouble: $0) }
        }
        #expect(float == expected)
    }

    @Test("a double keeps minus zero, and a decimal does not")
    func readsMinusZero() {
        #expect(withBytes("-0.0") { ScalarParser.double($0) }?.sign == .minus)
        #expect(withBytes("-0.0") { ScalarParser.decimal($0) }?.sign == .plus)
    }

    @Test(
        "reads decimals only if a double holds them without loss",
        arguments: [
            ("0.99", 0.99), ("1.50", 1.5), ("100", 100), ("1e2", 100), ("-0.001", -0.001),
            ("123456789012345.6", 123456789012345.6), ("0.12345678901234566", 0.12345678901234566),
            ("0.12345678901234567", nil), ("0.1234567890123456789", nil),
            ("12345678901234567890", nil), ("9007199254740993", nil),
            ("3.3333333332999993", 3.3333333332999993),
            ("1e400", nil), ("x", nil), ("", nil), ("007", nil),
        ] as [(String, Double?)])
    func readsDecimals(text: String, expected: Double?) {
        #expect(withBytes(text) { ScalarParser.decimal($0) } == expected)
    }

    @Test(
        "writes the shortest JSON number",
        arguments: [
            (0, "0"), (-0.0, "-0"), (1, "1"), (-2.5, "-2.5"), (0.1, "0.1"),
            (1e15, "1000000000000000"), (1e16, "10000000000000000"),
            (1e17, "1e17"), (-9_223_372_036_854_775_808, "-9.223372036854776e18"),
            (123456789012345, "123456789012345"), (1e-5, "1e-5"), (1e300, "1e300"),
            (0.30000000000000004, "0.30000000000000004"), (.leastNonzeroMagnitude, "5e-324"),
            (1e100, "1e100"),
            (-2.2250738585072014e-308, "-2.2250738585072014e-308"), (.infinity, ""), (.nan, ""),
        ] as [(Double, String)])
    func writesDoubles(value: Double, expected: String) {
        let text = written(capacity: "-2.2250738585072014e-308".utf8.count) {
            ScalarFormatter.double(value, into: $0)
        }
        #expect(text == expected)
    }

    @Test(
        "writes decimals without an exponent",
        arguments: [
            (0, "0"), (-0.0, "0"), (0.99, "0.99"), (100, "100"), (-0.0001, "-0.0001"),
            (1e21, "1000000000000000000000"), (1.5e-7, "0.00000015"), (.infinity, ""),
            (1e-30, "0.000000000000000000000000000001"),
        ] as [(Double, String)])
    func writesDecimals(value: Double, expected: String) {
        let text = written(capacity: ScalarFormatter.decimalBytesMax) {
            ScalarFormatter.decimal(value, into: $0)
        }
        #expect(text == expected)
    }

    @Test("writes nothing into a buffer that is too small")
    func refusesSmallBuffers() {
        #expect(written(capacity: 2) { ScalarFormatter.integer(123, into: $0) } == "")
        #expect(written(capacity: 3) { ScalarFormatter.integer(123, into: $0) } == "123")
        #expect(
            written(capacity: 35) { buffer in
                withBytes("0123456789abcdef") { ScalarFormatter.uuid($0, into: buffer) }
            } == "")
    }

    @Test("every finite double and every integer survives its text form")
    func roundTrips() {
        let seed = TestSeed.ofThisRun
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50_000 {
            let bits = Double(bitPattern: generator.next())
            let short = Double(Int64.random(in: -1_000_000...1_000_000, using: &generator)) / 1000
            for value in [bits, short] where value.isFinite {
                let text = written { ScalarFormatter.double(value, into: $0) }
                let back = withBytes(text) { ScalarParser.double($0) }
                #expect(back?.bitPattern == value.bitPattern, "seed \(seed): \(value) as \(text)")
                let decimal = written { ScalarFormatter.decimal(value, into: $0) }
                let again = withBytes(decimal) { ScalarParser.decimal($0) }
                #expect(again == value, "seed \(seed): \(value) as \(decimal)")
            }
            let shift = Int64.random(in: 0...63, using: &generator)
            let integer = Int64(bitPattern: generator.next()) >> shift
            let text = written { ScalarFormatter.integer(integer, into: $0) }
            #expect(text == "\(integer)", "seed \(seed)")
            #expect(withBytes(text) { ScalarParser.integer($0) } == integer, "seed \(seed)")
        }
    }

    @Test("reads doubles as the standard library does")
    func agreesWithTheStandardLibrary() {
        let seed = TestSeed.ofThisRun
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50_000 {
            let digits = Int.random(in: 1...22, using: &generator)
            var text = String(Int.random(in: 1...9, using: &generator))
            for _ in 1..<max(digits, 2) { text += String(Int.random(in: 0...9, using: &generator)) }
            if Bool.random(using: &generator) { text += ".\(generator.next() % 100_000)" }
            if Bool.random(using: &generator) {
                text += "e\(Int.random(in: -40...40, using: &generator))"
            }
            let value = withBytes(text) { ScalarParser.double($0) }
            #expect(value == Double(text), "seed \(seed): \(text)")
        }
    }
}
