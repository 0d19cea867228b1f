import TestSeeds
import Testing

@testable import GraphModel

@Suite("Booleans, UUIDs, base64, and lengths")
struct OtherValueTests {
    @Test(
        "reads booleans",
        arguments: [
            ("true", true), ("TRUE", true), ("False", false), ("yes", true), ("No", false),
            ("1", true), ("0", false), ("", nil), ("y", nil), ("on", nil), ("2", nil),
            ("truE ", nil), ("TRU\u{5}", nil),
        ] as [(String, Bool?)])
    func readsBooleans(text: String, expected: Bool?) {
        #expect(withBytes(text) { ScalarParser.boolean($0) } == expected)
    }

    @Test(
        "reads and writes UUIDs",
        arguments: [
            ("00112233-4455-6677-8899-aAbBcCdDeEfF", "00112233-4455-6677-8899-AABBCCDDEEFF"),
            ("00112233445566778899aabbccddeeff", nil), ("00112233-4455-6677-8899-aabbccddeef", nil),
            ("00112233-4455-6677-8899_aabbccddeeff", nil),
            ("0011223g-4455-6677-8899-aabbccddeeff", nil),
            ("0011223@-4455-6677-8899-aabbccddeeff", nil), ("", nil),
        ] as [(String, String?)])
    func uuids(text: String, expected: String?) {
        let result = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
            bytes.initialize(repeating: 0)
            guard let start = bytes.baseAddress,
                withBytes(text, { ScalarParser.uuid($0, into: start) })
            else { return String?.none }
            return written(capacity: 36) { ScalarFormatter.uuid(ByteView(bytes), into: $0) }
        }
        #expect(result == expected)
    }

    @Test(
        "reads base64 strictly",
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"),
            ("+/+/", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("Zg", nil), ("Zg=", nil), ("Zh==", nil),
            ("Zm9=", nil), ("Z===", nil), ("====", nil), ("Zg==Zg==", nil), ("Zm9v\n", nil),
            ("Zm 9", nil), ("Zm-_", nil),
        ] as [(String, String?)])
    func readsBase64(text: String, expected: String?) {
        let result = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { bytes in
            withBytes(text) { ScalarParser.base64($0, into: bytes) }.map {
                String(decoding: bytes[..<$0], as: UTF8.self)
            }
        }
        #expect(result == expected)
    }

    @Test("any bytes survive base64")
    func base64RoundTrips() {
        let seed = TestSeed.ofThisRun
        var generator = SeededGenerator(seed: seed)
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = written(capacity: 512) { buffer in
                bytes.withUnsafeBufferPointer { ScalarFormatter.base64($0, into: buffer) }
            }
            let back = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { buffer in
                withBytes(text) { ScalarParser.base64($0, into: buffer) }.map {
                    Array(buffer[..<$0])
                }
            }
            #expect(back == bytes, "seed \(seed), \(count) bytes")
        }
    }

    @Test("counts UTF-16 units", arguments: ["", "abc", "äö", "日本", "👩‍👩‍👧", "e\u{301}"])
    func lengths(text: String) {
        #expect(withBytes(text) { ScalarParser.utf16Length($0) } == text.utf16.count)
    }
}
