import Diagnostics

/// Refuses URLs where a spec takes paths: `postgresql://host/tasks` would be a folder of that name.
enum URLCheck {
    /// The problems of the paths that are known.
    static func check(_ spec: PipelineSpec, _ values: ParameterValues) -> [Diagnostic] {
        let own = [spec.store.at, spec.rejects.folder, spec.report.folder]
        let outputs = [spec.report.metrics, spec.store.template].compactMap { $0 }
        let all = own + outputs + spec.stages.flatMap(paths)
        return all.compactMap { path -> Diagnostic? in
            // What stands before a parameter without a value tells, too.
            let text = values.canResolve(path) ? values.resolve(path) : path.text
            let isInput = spec.stages.contains { stage in
                if case .import(let spec) = stage.kind {
                    spec.read.files.contains(path)
                } else {
                    false
                }
            }
            return diagnostic(text, at: .source(path.location), isInput: isInput)
        }
    }

    /// The problem of a text that must be a path; nil where it is none.
    static func diagnostic(
        _ text: String, at place: Diagnostic.Place, isInput: Bool = false
    ) -> Diagnostic? {
        guard let scheme = scheme(of: text) else { return nil }
        return Diagnostic(
            code: "spec.url",
            "A path must stand here, not a URL: etl does not read or write \(scheme)://",
            at: place, fix: fix(scheme, isInput: isInput))
    }

    private static func paths(of stage: Stage) -> [TemplateText] {
        switch stage.kind {
        case .import(let spec): spec.read.files
        case .export(let spec): [spec.to]
        case .update, .delete, .verify: []
        }
    }

    /// The scheme of a URL (RFC 3986, section 3.1), in lower case; nil of a path.
    private static func scheme(of text: String) -> String? {
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

    private static func fix(_ scheme: String, isInput: Bool) -> String {
        switch scheme {
        case "http" where isInput, "https" where isInput:
            "pipe it: `curl -fsS URL | etl run …` with `files: \"-\"`, or download it first"
        case "s3", "gs": "copy the file with the tools of that service, and name the copy"
        case "file": "leave out `file://`"
        case "postgres", "postgresql": "name an SQLite file; etl writes no other databases"
        default: "name a file"
        }
    }
}
