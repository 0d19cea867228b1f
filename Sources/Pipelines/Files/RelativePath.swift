import Files

/// Relative links between files, which stay valid if the files are moved together.
enum RelativePath {
    /// Returns the relative link from a folder to a path; `nil` if one of them is not absolute.
    static func link(from folder: String, to path: String) -> String? {
        FileName(path).steps(from: FileName(folder))
            .map { $0.map(encoded).joined(separator: "/") }
    }

    /// Percent-encodes all characters except the unreserved ones (RFC 3986).
    private static func encoded(_ part: ArraySlice<UInt8>) -> String {
        part.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-._~".unicodeScalars.contains(scalar))
            return isPlain
                ? String(scalar)
                : "%" + String(UInt16(byte) | 0x100, radix: 16, uppercase: true).dropFirst()
        }.joined()
    }
}
