package import Files

/// Functions on paths from specs and command lines, without access to the file system.
///
/// They use `FileName`, which finds slashes and dots by their bytes.
package enum PathText {
    /// Returns the folder of a file; `.` if the path names no folder.
    package static func folder(of file: String) -> String { text(FileName(file).folder) }

    /// Returns `path` appended to `folder`; an absolute `path` is returned unchanged.
    package static func join(_ folder: String, _ path: String) -> String {
        text(FileName(folder).joining(FileName(path)))
    }

    /// Returns the path without `.` and `..`, so that two spellings of a path compare equal.
    package static func normalized(_ path: String) -> String { text(FileName(path).normalized) }

    /// Returns the path without `..`, or the path itself if a `..` follows a symbolic link.
    ///
    /// - Parameter isLink: whether a path is a symbolic link. A `..` after a link leads elsewhere.
    package static func tidied(_ path: String, isLink: (FileName) -> Bool) -> String {
        text(FileName(path).tidied(isLink: isLink))
    }

    /// Returns the last component of a path.
    package static func lastComponent(_ path: String) -> String {
        text(FileName(path).lastComponent)
    }

    /// Returns the components between the slashes.
    package static func components(of path: String) -> [String] {
        FileName(path).components.map { text(FileName(bytes: $0)) }
    }

    /// Returns the name without its last dot and the bytes after it; a leading dot is
    /// kept.
    package static func withoutSuffix(_ name: String) -> String {
        let name = FileName(name)
        return text(FileName(bytes: name.bytes.dropLast(name.suffix.count)))
    }

    /// Returns the path without trailing slashes.
    package static func withoutSlashes(_ path: String) -> String {
        text(FileName(path).withoutSlashes)
    }

    /// Returns whether the path begins with a slash.
    package static func isAbsolute(_ path: String) -> Bool { FileName(path).isAbsolute }

    /// Returns whether the path contains a slash.
    package static func hasFolder(_ path: String) -> Bool {
        path.utf8.contains(UInt8(ascii: "/"))
    }

    /// Returns whether the name begins with a dot.
    package static func isHidden(_ name: String) -> Bool { FileName(name).isHidden }

    /// Returns the part of a name after a prefix; `nil` if the name has another prefix.
    package static func rest(of name: String, after beginning: String) -> String? {
        guard FileName(name).hasPrefix(FileName(beginning)) else { return nil }
        return text(FileName(bytes: name.utf8.dropFirst(beginning.utf8.count)))
    }

    /// Returns a file name as a string; the name was built from strings.
    ///
    /// Nothing is lost: valid UTF-8 that is split or joined at slashes stays valid.
    private static func text(_ name: FileName) -> String {
        String(decoding: name.bytes, as: UTF8.self)
    }
}
