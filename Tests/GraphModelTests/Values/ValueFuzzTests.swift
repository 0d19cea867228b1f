import TestSeeds
import Testing

@testable import GraphModel

@Suite("Values from any bytes")
struct ValueFuzzTests {
    private static let samples = [
        "2024-02-29T12:30:15.123456+02:00", "-123456789012345678901234567890.5e-300",
        "00112233-4455-6677-8899-aabbccddeeff", "Zm9vYmFyZm9vYg==", "+999999999-12-31", "true",
        "9223372036854775807.000e0", "0.00000000000000000000000000012345678901234567890123456789",
        "1e99999999999999999999", "-0001-01-01 00:00:00,999999999999999999999999",
    ]

    @Test("reading any bytes never traps, and values that are read print and read back equal")
    func survivesAnyBytes() throws {
        let seed = TestSeed.ofThisRun
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("0123456789-+.:TZeE =/aA\0é".utf8) + [0xFF, 0x80]
        let patterns = try ["yyyy-MM-dd'T'HH:mm:ss.SSSX", "d.M.y h a", "yyMMdd"].map {
            try DatePattern(parsing: $0)
        }
        for _ in 0..<30_000 {
            var bytes = Array((Self.samples.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[place] = alphabet.randomElement(using: &generator) ?? 0
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(contentsOf: bytes[place...], at: place)
                }
            }
            bytes.withUnsafeBufferPointer { check($0, patterns, seed) }
        }
    }

    private func check(_ bytes: ByteView, _ patterns: [DatePattern], _ seed: UInt64) {
        let text = String(decoding: bytes, as: UTF8.self)
        for pattern in patterns { _ = pattern.parse(bytes) }
        _ = ScalarParser.boolean(bytes)
        _ = ScalarParser.utf16Length(bytes)
        if let decimal = ExactDecimal(bytes), decimal.isStorable {
            let canonical = decimal.text
            #expect(
                withBytes(canonical) { ExactDecimal($0) } == decimal, "seed \(seed): \(text)")
            #expect(
                ScalarParser.double(bytes) == Double(canonical),
                "seed \(seed): \(text)")
        }
        if ExactDecimal.isCanonical(bytes) {
            #expect(ExactDecimal(bytes)?.text == text, "seed \(seed): \(text)")
        }
        if let integer = ScalarParser.jsonIntegral(bytes) {
            let back = written { ScalarFormatter.integer(integer, into: $0) }
            #expect(
                withBytes(back) { ScalarParser.integer($0) } == integer, "seed \(seed): \(text)")
        }
        if let double = ScalarParser.double(bytes) {
            #expect(double == Double(text), "seed \(seed): \(text)")
        }
        if let decimal = ScalarParser.decimal(bytes) {
            let back = written { ScalarFormatter.decimal(decimal, into: $0) }
            #expect(
                withBytes(back) { ScalarParser.decimal($0) } == decimal, "seed \(seed): \(text)")
        }
        if let date = ScalarParser.isoDate(bytes), abs(date) > 1, abs(date) < 3.15e15 {
            let back = written { ScalarFormatter.isoDate(date, into: $0) }
            #expect(withBytes(back) { ScalarParser.isoDate($0) } == date, "seed \(seed): \(text)")
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            if let start = buffer.baseAddress { _ = ScalarParser.uuid(bytes, into: start) }
            _ = ScalarParser.base64(bytes, into: buffer)
        }
    }
}
