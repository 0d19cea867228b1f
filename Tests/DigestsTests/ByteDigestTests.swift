import Digests
import Testing

@Suite("Digests of bytes") struct ByteDigestTests {
    /// The examples that NIST publishes with FIPS 180-4, and the digest of no bytes.
    struct Example: CustomTestStringConvertible {
        let message: String
        let sha1: String
        let sha256: String
        let sha512: String

        var testDescription: String { String(message.prefix(40)) }

        init(_ message: String, sha1: String, sha256: String, sha512: String) {
            self.message = message
            self.sha1 = sha1
            self.sha256 = sha256
            self.sha512 = sha512
        }
    }

    static let examples = [
        Example(
            "",
            sha1: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            sha512: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"),
        Example(
            "abc",
            sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
        Example(
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            sha1: "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            sha256: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            sha512: "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
                + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"),
        Example(
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            sha1: "a49b2446a02c645bf419f995b67091253a04a259",
            sha256: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
            sha512: "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"),
        Example(
            String(repeating: "a", count: 1_000_000),
            sha1: "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
            sha256: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            sha512: "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"),
    ]

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("the examples of the standard have their published digests", arguments: examples)
    func agreesWithTheStandard(example: Example) {
        let bytes = Array(example.message.utf8)
        #expect(hex(ByteDigest.of(bytes, .sha1)) == example.sha1)
        #expect(hex(ByteDigest.of(bytes)) == example.sha256)
        #expect(hex(ByteDigest.of(bytes, .sha512)) == example.sha512)
    }

    /// Lengths near the end of a block, at which the padding needs an additional block.
    @Test(arguments: [ByteDigest.Function.sha1, .sha256, .sha512])
    func piecesOfAnyLengthGiveTheDigestOfAllBytes(function: ByteDigest.Function) {
        for length in [1, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 256, 300] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151) }
            let whole = ByteDigest.of(bytes, function)
            for offset in 0...length {
                var digest = ByteDigest(function)
                digest.add(Array(bytes[..<offset]))
                digest.add(Array(bytes[offset...]))
                #expect(digest.value == whole, "\(length) bytes, split at \(offset)")
            }
        }
    }

    @Test func readingAValueDoesNotChangeTheDigest() {
        var digest = ByteDigest()
        digest.add(Array("ab".utf8))
        let copy = digest
        #expect(digest.value == ByteDigest.of(Array("ab".utf8)))
        digest.add(Array("c".utf8))
        #expect(digest.value == ByteDigest.of(Array("abc".utf8)))
        #expect(copy.value == ByteDigest.of(Array("ab".utf8)))
    }
}
