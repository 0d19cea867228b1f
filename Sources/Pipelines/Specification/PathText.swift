/// Joins paths as text; nothing is looked up.
package enum PathText {
    /// The folder of a file, `.` where its path names none.
    package static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// `path` as seen from where `folder` is; absolute paths stay.
    package static func join(_ folder: String, _ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        var rest = path[...]
        while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
        if rest.isEmpty || rest == "." { return folder }
        guard folder != ".", !folder.isEmpty else { return String(rest) }
        return folder.hasSuffix("/") ? folder + rest : "\(folder)/\(rest)"
    }

    /// The path without `.` and `..`, as far as the text tells: two texts for one file.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else if part != ".." || !path.hasPrefix("/") {
                // Above the root there is nothing but the root.
                parts.append(part)
            }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// The path without `..`, where that leads to the same place: not behind a symbolic link.
    static func tidied(_ path: String) -> String {
        guard path.contains("..") else { return path }
        var parts: [Substring] = []
        let root = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") where part != "." {
            guard part == "..", let last = parts.last, last != ".." else {
                parts.append(part)
                continue
            }
            let folder = root + parts.joined(separator: "/")
            guard !FileDescriptor.isLink(folder) else { return path }
            parts.removeLast()
        }
        let tidied = root + parts.joined(separator: "/")
        return tidied.isEmpty ? "." : tidied
    }

    /// The last part of a path.
    package static func lastComponent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}

/// Links between files that may be moved together.
enum RelativePath {
    /// How a page in a folder names another path; nil where one of them is not absolute.
    static func link(from folder: String, to path: String) -> String? {
        steps(from: folder, to: path).map { $0.map(encoded).joined(separator: "/") }
    }

    /// A path as seen from a folder; nil where one of them is not absolute.
    static func path(from folder: String, to path: String) -> String? {
        steps(from: folder, to: path)?.joined(separator: "/")
    }

    private static func steps(from folder: String, to path: String) -> [String]? {
        guard folder.hasPrefix("/"), path.hasPrefix("/") else { return nil }
        let here = PathText.normalized(folder).split(separator: "/").map(String.init)
        let there = PathText.normalized(path).split(separator: "/").map(String.init)
        let shared = zip(here, there).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: here.count - shared) + there[shared...]
        return steps.isEmpty ? ["."] : steps
    }

    /// RFC 3986: all but unreserved characters in per cent.
    private static func encoded(_ part: String) -> String {
        part.utf8.map { byte in
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
