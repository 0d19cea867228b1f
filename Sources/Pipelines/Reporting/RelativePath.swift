import Files

/// Links between files that may be moved together.
enum RelativePath {
    /// How a page in a folder names another path; nil where one of them is not absolute.
    static func link(from folder: String, to path: String) -> String? {
        FileName(path).steps(from: FileName(folder))
            .map { $0.map(encoded).joined(separator: "/") }
    }

    /// RFC 3986: all but unreserved characters in per cent.
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
