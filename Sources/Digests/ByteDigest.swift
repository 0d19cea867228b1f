#if canImport(CryptoKit)
    import CryptoKit
#else
    import CDigests
#endif

/// A digest of bytes that come in pieces: SHA-256 unless another function is named.
///
/// On Apple's systems it is CryptoKit's. Elsewhere it is that of `CDigests`: the functions of
/// FIPS 180-4 alone, where swift-crypto would build all of BoringSSL in each package that uses the
/// library.
package struct ByteDigest {
    /// How bytes become a digest.
    package enum Function: CaseIterable {
        /// 20 bytes; for UUIDs of version 5 alone.
        case sha1
        /// 32 bytes.
        case sha256
        /// 64 bytes.
        case sha512
    }

    #if canImport(CryptoKit)
        private var hash: any HashFunction
    #else
        private var state = cdigests_state()
    #endif

    /// Begins a digest of no bytes.
    package init(_ function: Function = .sha256) {
        #if canImport(CryptoKit)
            switch function {
            case .sha1: hash = Insecure.SHA1()
            case .sha256: hash = SHA256()
            case .sha512: hash = SHA512()
            }
        #else
            switch function {
            case .sha1: cdigests_begin(&state, cdigests_sha1)
            case .sha256: cdigests_begin(&state, cdigests_sha256)
            case .sha512: cdigests_begin(&state, cdigests_sha512)
            }
        #endif
    }

    /// The digest of bytes that are all there.
    package static func of(_ bytes: [UInt8], _ function: Function = .sha256) -> [UInt8] {
        var digest = ByteDigest(function)
        digest.add(bytes)
        return digest.value
    }

    /// Adds bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
            hash.update(bufferPointer: bytes)
        #else
            cdigests_add(&state, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Adds bytes.
    package mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    /// Adds a text and a terminator, so that consecutive texts are distinct from their sum.
    package mutating func add(text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
        add([0xFF])
    }

    /// The digest of the bytes so far; more can be added.
    package var value: [UInt8] {
        #if canImport(CryptoKit)
            return Self.bytes(of: hash)
        #else
            // Ending uses the state up.
            var state = state
            return [UInt8](unsafeUninitializedCapacity: Int(state.function.rawValue)) {
                buffer, count in
                cdigests_end(&state, buffer.baseAddress)
                count = buffer.count
            }
        #endif
    }

    #if canImport(CryptoKit)
        private static func bytes(of hash: some HashFunction) -> [UInt8] {
            Array(hash.finalize())
        }
    #endif
}
