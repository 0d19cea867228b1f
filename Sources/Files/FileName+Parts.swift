/// The parts of a path, as bytes and without access to the file system.
///
/// A slash or a dot is one byte, even before a combining mark, where a search by `Character`
/// would miss it.
extension FileName {
    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// Whether the path begins with a slash.
    package var isAbsolute: Bool { bytes.first == Self.slash }

    /// Whether the path begins with a dot.
    package var isHidden: Bool { bytes.first == Self.dot }

    /// The components between the slashes.
    package var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash) }

    /// The folder of the file; `.` if the path names no folder.
    package var folder: FileName {
        guard let slash = bytes.lastIndex(of: Self.slash) else { return "." }
        return slash == 0 ? "/" : FileName(bytes: bytes[..<slash])
    }

    /// The part after the last slash.
    package var lastComponent: FileName {
        bytes.lastIndex(of: Self.slash).map { FileName(bytes: bytes[($0 + 1)...]) } ?? self
    }

    /// The last dot of the last component and the bytes after it.
    ///
    /// Empty if no dot follows the component's first byte.
    package var suffix: ArraySlice<UInt8> {
        let name = lastComponent.bytes
        guard let dot = name.lastIndex(of: Self.dot), dot > 0 else { return [] }
        return name[dot...]
    }

    /// Returns a path appended to this folder; an absolute path is returned unchanged.
    package func joining(_ path: FileName) -> FileName {
        guard !path.isAbsolute else { return path }
        var rest = path.bytes[...]
        while rest.starts(with: [Self.dot, Self.slash]) {
            rest = rest.dropFirst(2).drop { $0 == Self.slash }
        }
        if rest.isEmpty || rest.elementsEqual([Self.dot]) { return self }
        guard self != ".", !isEmpty else { return FileName(bytes: rest) }
        return FileName(bytes: bytes + (bytes.last == Self.slash ? [] : [Self.slash]) + rest)
    }

    /// Returns the name with every occurrence of a string replaced by another.
    package func replacing(_ text: String, with other: String) -> FileName {
        let (wanted, given) = (Array(text.utf8), Array(other.utf8))
        guard !wanted.isEmpty else { return self }
        var replaced: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if rest.starts(with: wanted) {
                replaced += given
                rest = rest.dropFirst(wanted.count)
            } else {
                replaced.append(byte)
                rest = rest.dropFirst()
            }
        }
        return FileName(bytes: replaced)
    }

    /// The path without trailing slashes.
    package var withoutSlashes: FileName {
        var bytes = bytes
        while bytes.count > 1, bytes.last == Self.slash { bytes.removeLast() }
        return FileName(bytes: bytes)
    }

    /// Returns the name with a string appended.
    package func adding(_ text: String) -> FileName { FileName(bytes: bytes + Array(text.utf8)) }

    /// Returns whether the name begins with the bytes of another name.
    package func hasPrefix(_ name: FileName) -> Bool { bytes.starts(with: name.bytes) }

    /// Returns whether the name ends with the bytes of another name.
    package func hasSuffix(_ name: FileName) -> Bool {
        bytes.suffix(name.bytes.count).elementsEqual(name.bytes)
    }

    /// The name with its ASCII letters in lowercase.
    package var lowercasedASCII: FileName {
        FileName(
            bytes: bytes.map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            })
    }

    /// The path without `.` and `..`, so that two spellings of a path compare equal.
    ///
    /// It is computed from the bytes alone; symbolic links are ignored.
    package var normalized: FileName {
        var parts: [ArraySlice<UInt8>] = []
        for part in components where !part.elementsEqual([Self.dot]) {
            if Self.isParent(part), let last = parts.last, !Self.isParent(last) {
                parts.removeLast()
            } else if !Self.isParent(part) || !isAbsolute {
                // The parent of the root is the root.
                parts.append(part)
            }
        }
        return FileName(parts: parts, isAbsolute: isAbsolute)
    }

    /// Returns the path without `..`, or the path itself if a `..` follows a symbolic link.
    ///
    /// - Parameter isLink: whether a path is a symbolic link. A `..` after a link leads elsewhere.
    package func tidied(isLink: (FileName) -> Bool) -> FileName {
        guard components.contains(where: Self.isParent) else { return self }
        var parts: [ArraySlice<UInt8>] = []
        for part in components where !part.elementsEqual([Self.dot]) {
            guard Self.isParent(part), let last = parts.last, !Self.isParent(last) else {
                parts.append(part)
                continue
            }
            guard !isLink(FileName(parts: parts, isAbsolute: isAbsolute)) else { return self }
            parts.removeLast()
        }
        let tidied = FileName(parts: parts, isAbsolute: isAbsolute)
        return tidied.isEmpty ? "." : tidied
    }

    /// Returns the components of this path relative to a folder, such as `..` and `in`.
    ///
    /// Returns `nil` if either path is not absolute.
    package func steps(from folder: FileName) -> [ArraySlice<UInt8>]? {
        guard folder.isAbsolute, isAbsolute else { return nil }
        let here = folder.normalized.components
        let there = normalized.components
        let shared = zip(here, there).prefix { $0 == $1 }.count
        let up = ArraySlice([Self.dot, Self.dot])
        let steps = Array(repeating: up, count: here.count - shared) + Array(there[shared...])
        return steps.isEmpty ? [[Self.dot]] : steps
    }

    /// Returns this path relative to a folder; `nil` if either is not absolute.
    package func relative(to folder: FileName) -> FileName? {
        steps(from: folder).map { FileName(parts: $0, isAbsolute: false) }
    }

    /// Creates a path from components.
    package init(parts: [ArraySlice<UInt8>], isAbsolute: Bool) {
        self.init(
            bytes: (isAbsolute ? [Self.slash] : []) + parts.joined(separator: [Self.slash]))
    }

    private static func isParent(_ part: ArraySlice<UInt8>) -> Bool {
        part.elementsEqual([dot, dot])
    }

    /// Returns the name truncated to at most `count` bytes, never inside a UTF-8 character.
    package func prefix(bytes count: Int) -> FileName {
        guard bytes.count > count else { return self }
        var end = max(0, count)
        // Continuation bytes of a UTF-8 character.
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return FileName(bytes: bytes[..<end])
    }

    /// Maximum length of a file name on Linux and macOS, in bytes.
    package static let componentBytesMax = 255
}
