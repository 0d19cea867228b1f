package import Files

/// Paths that specs and command lines give, as text; nothing is looked up.
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
    package static func normalized(_ path: String) -> String { text(FileName(path).normalized) }

    /// The path without `..`, where that leads to the same place.
    ///
    /// - Parameter isLink: whether there is a symbolic link at a path: `..` behind it leads elsewhere.
    package static func tidied(_ path: String, isLink: (FileName) -> Bool) -> String {
        text(FileName(path).tidied(isLink: isLink))
    }

    /// The last part of a path.
    package static func lastComponent(_ path: String) -> String {
        text(FileName(path).lastComponent)
    }

    /// The names between the slashes.
    package static func components(of path: String) -> [String] {
        FileName(path).components.map { text(FileName(bytes: $0)) }
    }

    /// The name without its last full stop and what comes after it; one at its beginning stays.
    package static func withoutSuffix(_ name: String) -> String {
        let name = FileName(name)
        return text(FileName(bytes: name.bytes.dropLast(name.suffix.count)))
    }

    /// The path without slashes at its end.
    package static func withoutSlashes(_ path: String) -> String {
        text(FileName(path).withoutSlashes)
    }

    /// Whether the path begins at the root.
    package static func isAbsolute(_ path: String) -> Bool { FileName(path).isAbsolute }

    /// Whether the path has a slash in it.
    package static func hasFolder(_ path: String) -> Bool {
        path.utf8.contains(UInt8(ascii: "/"))
    }

    /// Whether the name begins with a full stop.
    package static func isHidden(_ name: String) -> Bool { FileName(name).isHidden }

    /// What comes after a beginning of the same bytes; nil if the name has another.
    package static func rest(of name: String, after beginning: String) -> String? {
        guard FileName(name).hasPrefix(FileName(beginning)) else { return nil }
        return text(FileName(bytes: name.utf8.dropFirst(beginning.utf8.count)))
    }

    /// What is cut at slashes, or put together, stays UTF-8.
    private static func text(_ name: FileName) -> String {
        String(decoding: name.bytes, as: UTF8.self)
    }
}
