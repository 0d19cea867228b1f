import Diagnostics
import Files
import RecordStreams

/// Refuses URLs where a spec takes paths: `postgresql://host/tasks` would be a folder of that name.
package enum URLCheck {
    /// The problems of the paths that are known.
    static func check(_ spec: PipelineSpec, _ values: ParameterValues) -> [Diagnostic] {
        let own = [spec.store.at, spec.rejects.folder, spec.report.folder]
        let outputs = [spec.report.metrics, spec.store.template].compactMap { $0 }
        let all = own + outputs + spec.stages.flatMap(\.kind.paths)
        return all.compactMap { path -> Diagnostic? in
            // What stands before a parameter without a value tells, too.
            let text = values.canResolve(path) ? values.resolve(path) : path.text
            return diagnostic(text, at: .source(path.location), use(of: path, in: spec))
        }
    }

    /// What a path is for.
    enum Use: Equatable {
        case input, folder, other
        /// Records in a format; a command may take them instead of a file.
        case export(RecordFormat, mayBeCommand: Bool)
    }

    private static func use(of path: TemplateText, in spec: PipelineSpec) -> Use {
        for stage in spec.stages where stage.kind.paths.contains(path) {
            guard case .export(let format, true) = stage.kind.pathUse else {
                return stage.kind.pathUse
            }
            return .export(format, mayBeCommand: CommandCheck.delay(of: spec) == nil)
        }
        return [spec.report.folder, spec.rejects.folder].contains(path) ? .folder : .other
    }

    /// The problem of a text that must be a path; nil where it is none.
    static func diagnostic(
        _ text: String, at place: Diagnostic.Place, _ use: Use = .other
    ) -> Diagnostic? {
        guard let scheme = scheme(of: text) else { return nil }
        return Diagnostic(
            code: "spec.url",
            "A path is needed here, not a URL: etl does not read or write \(scheme)://",
            at: place, fix: fix(scheme, text, use))
    }

    /// The problem of a URL on the command line; nil of a path.
    ///
    static func problem(ofInput text: String, _ options: InferenceOptions) -> Diagnostic? {
        guard let scheme = scheme(of: text) else { return nil }
        return Diagnostic(
            code: "input.url", "etl does not read \(scheme)://", at: .file(text),
            fix: fetching(scheme, text, options)
                ?? (scheme == "file" ? "leave out `file://`" : "save it to a file"))
    }

    /// The command line that imports, or looks at, what is at a URL.
    private static func fetching(
        _ scheme: String, _ url: String, _ options: InferenceOptions
    ) -> String? {
        guard let words = reading(scheme, url) else { return nil }
        let path = path(of: url)
        let command = options.command(of: path)
        if let (name, line) = saving(scheme, url) {
            return "download it first: `\(line)`; then "
                + (ForeignFormat(suffixOf: path)?.fix(name, as: options.format, for: command) ?? "")
        }
        let filter = filter(of: path).map { $0.joined(separator: " ") + " | " } ?? ""
        return "fetch it: `"
            + CommandExample.pipe(
                words, as: options.format ?? format(of: url), into: filter + command) + "`"
    }

    /// The path of a URL, without its query.
    private static func path(of url: String) -> String {
        String(url.prefix { $0 != "?" && $0 != "#" })
    }

    /// The words that unpack what is at a URL; `nil` if it is not packed, or takes a file.
    private static func filter(of path: String) -> [String]? {
        path.lowercased().hasSuffix(".gz")
            ? ["gzip", "-dc"] : ForeignFormat(suffixOf: path)?.filter
    }

    /// The words that pack what is to be at a URL; `nil` if it is not packed, or takes a file.
    private static func packing(of path: String) -> [String]? {
        path.lowercased().hasSuffix(".gz") ? ["gzip"] : ForeignFormat(suffixOf: path)?.packing
    }

    /// The command line that saves what cannot be read from a pipe, and the file's name.
    private static func saving(_ scheme: String, _ url: String) -> (name: String, line: String)? {
        let path = path(of: url)
        guard let foreign = ForeignFormat(suffixOf: path), foreign.filter == nil else {
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

    /// Refuses a URL as a folder of the command line.
    ///
    /// - Throws: `RunFailure` with status 64.
    package static func refuse(folder text: String) throws(RunFailure) {
        try refuse(text, .folder)
    }

    /// Refuses a URL as a store, or another file, of the command line.
    ///
    /// - Throws: `RunFailure` with status 64.
    package static func refuse(file text: String) throws(RunFailure) {
        try refuse(text, .other)
    }

    private static func refuse(_ text: String, _ use: Use) throws(RunFailure) {
        guard let url = diagnostic(text, at: .nowhere, use) else { return }
        throw RunFailure(.usage, [url])
    }

    /// The scheme of a URL (RFC 3986, section 3.1), in lower case; nil of a path.
    static func scheme(of text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let end = bytes.firstIndex(of: UInt8(ascii: ":")), end > 0,
            bytes[end...].starts(with: "://".utf8)
        else { return nil }
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
        case "file": return "leave out `file://`"
        case "postgres", "postgresql": return "name an SQLite file; etl writes no other databases"
        default: break
        }
        switch use {
        case .input:
            guard var words = reading(scheme, url) else { return "name a file" }
            let path = path(of: url)
            if let (name, line) = saving(scheme, url), let foreign = ForeignFormat(suffixOf: path) {
                return "download it first: `\(line)`; then \(foreign.fix(name))"
            }
            if let filter = filter(of: path) { words = pipe([words, filter]) }
            return "let a command fetch it: `\(CommandExample.read(words, as: format(of: url)))`"
        case .export(let format, let mayBeCommand):
            return sending(scheme, url, format, byCommand: mayBeCommand) ?? "name a file"
        case .folder: return "name a folder"
        case .other: return "name a file"
        }
    }

    /// What to write in a spec for an export that is to be sent to a URL.
    private static func sending(
        _ scheme: String, _ url: String, _ format: RecordFormat, byCommand: Bool
    ) -> String? {
        guard var words = writing(scheme, url) else { return nil }
        let path = path(of: url)
        let name = PathText.lastComponent(path)
        let foreign = ForeignFormat(suffixOf: path)
        guard byCommand, foreign == nil || foreign?.packing != nil else {
            let file =
                foreign?.fix(writing: name, as: format, isSeveral: true)
                ?? "export `to: \(name)`"
            return "\(file); send what it writes after the run"
        }
        if let packing = packing(of: path) { words = pipe([packing, words]) }
        let whole = FileName(path)
        let named = RecordFormat(fileName: foreign == nil ? whole : ForeignFormat.inner(whole))
        return "let a command send it: `\(CommandExample.write(words))`, and "
            + "`as: \((named ?? format).rawValue)`"
    }

    /// The command that writes what is at a URL to its output.
    private static func reading(_ scheme: String, _ url: String) -> [String]? {
        switch scheme {
        case "http", "https", "ftp", "sftp": ["curl", "-fsSL", url]
        case "s3": ["aws", "s3", "cp", url, "-"]
        case "gs": ["gcloud", "storage", "cat", url]
        default: nil
        }
    }

    /// The command of a shell that runs others, each with the output of the one before.
    private static func pipe(_ commands: [[String]]) -> [String] {
        let lines = commands.map { $0.map(CommandExample.shell).joined(separator: " ") }
        return ["sh", "-c", lines.joined(separator: " | ")]
    }

    /// The command that puts its input at a URL.
    private static func writing(_ scheme: String, _ url: String) -> [String]? {
        switch scheme {
        case "http", "https", "ftp", "sftp": ["curl", "-fsS", "-T", "-", url]
        case "s3": ["aws", "s3", "cp", "-", url]
        case "gs": ["gcloud", "storage", "cp", "-", url]
        default: nil
        }
    }

    /// The format that the path of a URL tells; most of what the web gives is JSON.
    private static func format(of url: String) -> RecordFormat {
        let path = path(of: url)
        if let foreign = ForeignFormat(suffixOf: path) { return foreign.innerFormat(path) ?? .json }
        return RecordFormat(fileName: path) ?? .json
    }
}
