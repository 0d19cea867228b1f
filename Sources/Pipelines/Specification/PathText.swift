import Diagnostics

/// Joins paths that specs and command lines give, as text; nothing is looked up.
///
/// Each is a `FileName`, which finds slashes and full stops by their bytes.
package enum PathText {
    /// The folder of a file, `.` where its path names none.
    package static func folder(of file: String) -> String { text(FileName(file).folder) }

    /// `path` as seen from where `folder` is; absolute paths stay.
    package static func join(_ folder: String, _ path: String) -> String {
        text(FileName(folder).joining(FileName(path)))
    }

    /// The path without `.` and `..`, as far as the text tells: two texts for one file.
    static func normalized(_ path: String) -> String { text(FileName(path).normalized) }

    /// The path without `..`, where that leads to the same place: not behind a symbolic link.
    static func tidied(_ path: String) -> String {
        text(FileName(path).tidied(isLink: FileDescriptor.isLink))
    }

    /// The last part of a path.
    package static func lastComponent(_ path: String) -> String {
        text(FileName(path).lastComponent)
    }

    /// What is cut at slashes, or put together, stays UTF-8.
    private static func text(_ name: FileName) -> String {
        String(decoding: name.bytes, as: UTF8.self)
    }
}

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
