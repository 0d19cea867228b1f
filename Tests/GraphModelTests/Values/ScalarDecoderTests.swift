import Testing

@testable import GraphModel

@Suite("Decoding of UTF-8")
struct ScalarDecoderTests {
    /// The first and last byte of each group of bytes that UTF-8 distinguishes.
    private static let edges: [UInt8] = [
        0x00, 0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
        0xF1, 0xF4, 0xF5,
    ]

    private static func sequences(_ length: Int) -> [[UInt8]] {
        (0..<length).reduce([[]]) { sequences, _ in
            sequences.flatMap { start in edges.map { start + [$0] } }
        }
    }

    private static func decoded(_ bytes: [UInt8]) -> [Unicode.Scalar] {
        bytes.withUnsafeBufferPointer { bytes in
            var scalars: [Unicode.Scalar] = []
            var index = 0
            while index < bytes.count {
                let (scalar, length) = ScalarDecoder.scalar(bytes, index)
                scalars.append(scalar)
                index += length
            }
            return scalars
        }
    }

    @Test("replaces each maximal part of a sequence, as String does", arguments: 1...4)
    func replacesMaximalSubparts(length: Int) {
        let wrong = Self.sequences(length).filter {
            Self.decoded($0) != Array(String(decoding: $0, as: UTF8.self).unicodeScalars)
        }
        #expect(wrong == [])
    }

    @Test("MATCHES and LIKE count the same characters in invalid UTF-8")
    func matchersCountTheSameCharacters() throws {
        let patterns = try (0...3).map { try CompiledPattern("(?s).{\($0)}") }
        var wrong: [[UInt8]] = []
        for bytes in Self.sequences(3) {
            let count = String(decoding: bytes, as: UTF8.self).unicodeScalars.count
            let counts = bytes.withUnsafeBufferPointer { text in
                (0...3).filter { number in
                    let like = [UInt8](repeating: UInt8(ascii: "?"), count: number)
                    let isLike = like.withUnsafeBufferPointer {
                        TextComparison.holds(.like, text, $0, [])
                    }
                    let isFoldedLike = like.withUnsafeBufferPointer {
                        TextComparison.holds(.like, text, $0, .caseInsensitive)
                    }
                    let isMatch = patterns[number].matches(text)
                    let isFoldedMatch = try? PatternMatch.holds(
                        text, patterns[number], .caseInsensitive, unless: nil)
                    return isLike && isFoldedLike && isMatch && isFoldedMatch == true
                }
            }
            if counts != [count] { wrong.append(bytes) }
        }
        #expect(wrong == [])
    }

    @Test("overlong forms are neither white space nor the scalar zero")
    func overlongForms() throws {
        let zero: [UInt8] = [0xE0, 0x80, 0x80]
        let space: [UInt8] = [0xE0, 0x80, 0xA0, 0x41]
        let any = try CompiledPattern(".")
        #expect(!zero.withUnsafeBufferPointer { any.matches($0) })
        #expect(space.withUnsafeBufferPointer { TextFunctions.trimmed($0).count } == 4)
    }
}
