import Diagnostics
import Files
import RecordStreams

/// Reports URLs where a spec expects paths: `postgresql://host/tasks` would be a folder of that
/// name.
package enum URLCheck {
    /// The use of a path.
    enum Use: Equatable {
        case input, folder, other
        /// Records in a format; a command may receive them instead of a file.
        case export(RecordFormat, mayBeCommand: Bool)
    }

    /// Returns the problem of a text that must be a path, or `nil` if it is not a URL.
    ///
    /// - Parameter folder: The folder to which a relative path refers.
    static func diagnostic(
        _ text: String, at place: Diagnostic.Place, _ use: Use = .other, in folder: String = ""
    ) -> Diagnostic? {
        guard let scheme = scheme(of: text, in: folder) else { return nil }
        return Diagnostic(
            code: "spec.url",
            "A path is needed here, not a URL: etl does not read or write "
                + scheme + mark(of: text),
            at: place, fix: fix(scheme, text, use))
    }

    /// Returns the text between the scheme and the rest of a URL: `://`, or `:` in `sqlite:x`.
    private static func mark(of text: String) -> String { text.contains("://") ? "://" : ":" }

    /// Returns an alternative fix for a text that can also be a file's name; otherwise empty.
    private static func other(_ text: String) -> String {
        text.contains("://") ? "" : ", or write `./\(text)` if that is its name"
    }

    /// Returns the problem of a URL as an input on the command line, or `nil` if the text is a
    /// path.
    static func problem(
        ofInput text: String, format: RecordFormat?, command: (String) -> String
    ) -> Diagnostic? {
        guard let scheme = scheme(of: text) else { return nil }
        return Diagnostic(
            code: "input.url", "etl does not read \(scheme)\(mark(of: text))", at: .file(text),
            fix: fetching(scheme, text, format, command)
                ?? (scheme == "file"
                    ? "leave out `file\(mark(of: text))`" : "save it to a file" + other(text)))
    }

    /// Returns the command line that fetches a URL and imports or inspects its contents.
    private static func fetching(
        _ scheme: String, _ url: String, _ format: RecordFormat?,
        _ command: (String) -> String
    ) -> String? {
        guard let words = reading(scheme, url) else { return nil }
        let path = path(of: url)
        let command = command(path)
        if let (name, line) = saving(scheme, url) {
            return "download it first: `\(line)`; then "
                + (ForeignFormat(fileName: FileName(path))?.fix(
                    name, as: format, for: command) ?? "")
        }
        let filter = filter(of: path).map { $0.joined(separator: " ") + " | " } ?? ""
        return "fetch it: `"
            + CommandExample.pipe(
                words, as: format ?? Self.format(of: url), into: filter + command) + "`"
    }

    /// Returns the path of a URL, without its query.
    private static func path(of url: String) -> String {
        String(url.prefix { $0 != "?" && $0 != "#" })
    }

    /// Returns the command that decompresses the contents of a URL in a pipe, or `nil` if it is not
    /// compressed or the command needs a file.
    private static func filter(of path: String) -> [String]? {
        path.lowercased().hasSuffix(".gz")
            ? ["gzip", "-dc"] : ForeignFormat(fileName: FileName(path))?.filter
    }

    /// Returns the command that compresses the contents for a URL in a pipe, or `nil` if it is not
    /// compressed or the command needs a file.
    private static func packing(of path: String) -> [String]? {
        path.lowercased().hasSuffix(".gz")
            ? ["gzip"] : ForeignFormat(fileName: FileName(path))?.packing
    }

    /// Returns the command line that downloads a file that cannot be read from a pipe, and its
    /// name.
    private static func saving(_ scheme: String, _ url: String) -> (name: String, line: String)? {
        let path = path(of: url)
        guard let foreign = ForeignFormat(fileName: FileName(path)), foreign.filter == nil else {
            return nil
        }
        let name = PathText.lastComponent(path)
        let words: [String]? =
            switch scheme {
            case "http", "https", "ftp", "sftp": ["curl", "-fsSL", "-o", name, url]
            case "s3": ["aws", "s3", "cp", url, name]
            case "gs": ["gcloud", "storage", "cp", url, name]
            default: nil
            }
        return words.map { (name, $0.map(CommandExample.shell).joined(separator: " ")) }
    }

    /// Fails if a folder on the command line is a URL.
    ///
    /// - Throws: `RunFailure` with status 64.
    package static func reject(folder text: String) throws(RunFailure) {
        try reject(text, .folder)
    }

    /// Fails if a store or another file on the command line is a URL.
    ///
    /// - Throws: `RunFailure` with status 64.
    package static func reject(file text: String) throws(RunFailure) {
        try reject(text, .other)
    }

    private static func reject(_ text: String, _ use: Use) throws(RunFailure) {
        guard let url = diagnostic(text, at: .nowhere, use) else { return }
        throw RunFailure(.usage, [url])
    }

    /// Returns the scheme of a URL (RFC 3986, section 3.1) in lowercase, or `nil` if the text is a
    /// path.
    ///
    /// In a JDBC URL, it is the scheme after `jdbc:`. Without `//`, as in `sqlite:x`, it has at
    /// least two letters, so that it is not a drive, and no file has this name. A pattern of files and
    /// a name with white space are paths.
    ///
    /// - Parameter folder: The folder to which a relative path refers.
    static func scheme(of text: String, in folder: String = "") -> String? {
        let isJDBC = text.prefix(5).lowercased() == "jdbc:"
        let bytes = Array(text.utf8.dropFirst(isJDBC ? 5 : 0))
        guard let end = bytes.firstIndex(of: UInt8(ascii: ":")), end > 0 else { return nil }
        if !bytes[end...].starts(with: "://".utf8) {
            let isName = text.unicodeScalars.contains {
                $0.properties.isWhitespace || "*?[{".unicodeScalars.contains($0)
            }
            let path = folder.isEmpty ? text : PathText.join(folder, text)
            guard end > 1, end + 1 < bytes.count, !isName, !FileSystem.exists(path) else {
                return nil
            }
        }
        let scheme = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        let isScheme = scheme.utf8.enumerated().allSatisfy { place, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                place > 0
            default: false
            }
        }
        return isScheme ? scheme : nil
    }

    private static func fix(_ scheme: String, _ url: String, _ use: Use) -> String {
        switch scheme {
        case "file", "sqlite":
            let isJDBC = url.prefix(5).lowercased() == "jdbc:"
            return "leave out `\(isJDBC ? "jdbc:" : "")\(scheme)\(mark(of: url))`"
        case "postgres", "postgresql", "mysql", "mariadb", "sqlserver", "mongodb":
            return "name an SQLite file; etl writes no other databases"
        default: break
        }
        switch use {
        case .input:
            guard var words = reading(scheme, url) else { return "name a file" + other(url) }
            let path = path(of: url)
            if let (name, line) = saving(scheme, url),
                let foreign = ForeignFormat(fileName: FileName(path))
            {
                return "download it first: `\(line)`; then \(foreign.fix(name))"
            }
            if let filter = filter(of: path) { words = pipe([words, filter]) }
            return "let a command fetch it: `\(CommandExample.read(words, as: format(of: url)))`"
        case .export(let format, let mayBeCommand):
            return sending(scheme, url, format, byCommand: mayBeCommand)
                ?? "name a file" + other(url)
        case .folder: return "name a folder" + other(url)
        case .other: return "name a file" + other(url)
        }
    }

    /// Returns the fix for a spec whose export must be sent to a URL.
    private static func sending(
        _ scheme: String, _ url: String, _ format: RecordFormat, byCommand: Bool
    ) -> String? {
        guard var words = writing(scheme, url) else { return nil }
        let path = path(of: url)
        let name = PathText.lastComponent(path)
        let foreign = ForeignFormat(fileName: FileName(path))
        guard byCommand, foreign == nil || foreign?.packing != nil else {
            let file =
                foreign?.fix(writing: name, as: format, isSeveral: true)
                ?? "export `to: \(name)`"
            return "\(file); send the file after the run"
        }
        if let packing = packing(of: path) { words = pipe([packing, words]) }
        let whole = FileName(path)
        let named = RecordFormat(fileName: foreign == nil ? whole : ForeignFormat.inner(whole))
        return "let a command send it: `\(CommandExample.write(words))`, and "
            + "`as: \((named ?? format).rawValue)`"
    }

    /// Returns the command that writes the contents of a URL to its output.
    private static func reading(_ scheme: String, _ url: String) -> [String]? {
        switch scheme {
        case "http", "https", "ftp", "sftp": ["curl", "-fsSL", url]
        case "s3": ["aws", "s3", "cp", url, "-"]
        case "gs": ["gcloud", "storage", "cat", url]
        default: nil
        }
    }

    /// Returns the shell command that runs a pipeline of commands.
    private static func pipe(_ commands: [[String]]) -> [String] {
        let lines = commands.map { $0.map(CommandExample.shell).joined(separator: " ") }
        return ["sh", "-c", lines.joined(separator: " | ")]
    }

    /// Returns the command that uploads its input to a URL.
    private static func writing(_ scheme: String, _ url: String) -> [String]? {
        switch scheme {
        case "http", "https", "ftp", "sftp": ["curl", "-fsS", "-T", "-", url]
        case "s3": ["aws", "s3", "cp", "-", url]
        case "gs": ["gcloud", "storage", "cp", "-", url]
        default: nil
        }
    }

    /// Returns the format from the path of a URL, by default JSON, which is the most common.
    private static func format(of url: String) -> RecordFormat {
        let path = path(of: url)
        if let foreign = ForeignFormat(fileName: FileName(path)) {
            return foreign.innerFormat(path) ?? .json
        }
        return RecordFormat(fileName: path) ?? .json
    }
}
