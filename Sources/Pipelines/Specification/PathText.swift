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

    /// The last part of a path.
    package static func lastComponent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
