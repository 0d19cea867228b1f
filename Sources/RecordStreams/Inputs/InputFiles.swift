internal import Files

/// Finds the files that patterns name.
///
/// `*` and `?` match inside one name, `**` any number of folders, `{a,b}` either part; a
/// backslash takes the next character as it stands. As in a shell, `*` and `?` do not match a
/// leading dot. `logs/**/*-{2024,2025}.csv.gz` finds `logs/eu/may/web-2024.csv.gz`.
package enum InputFiles {
    /// The files that the patterns name, sorted by name, each once.
    ///
    /// Relative patterns start at `baseFolder`. A pattern that matches nothing gives nothing; a
    /// name without wildcards that does not exist is the error `input.missing`.
    package static func expand(
        patterns: [String], baseFolder: String
    ) throws(RecordStreamError) -> [InputFile] {
        // By bytes: `String` takes other spellings of the same name for equal, and files do not.
        var found: [[UInt8]: InputFile] = [:]
        for pattern in patterns {
            for file in try files(matching: pattern, baseFolder: baseFolder) {
                found[Array(file.path.utf8)] = file
            }
        }
        return found.values.sorted { Array($0.path.utf8).lexicographicallyPrecedes($1.path.utf8) }
    }

    private static func files(
        matching pattern: String, baseFolder: String
    ) throws(RecordStreamError) -> [InputFile] {
        if pattern == "-" { return [.standardInput] }
        guard !pattern.isEmpty else {
            throw RecordStreamError(.badPattern(reason: "it is empty"), in: pattern)
        }
        let path = join(baseFolder, pattern)
        // A name that has wildcards in it may be one all the same; what else it is is told below.
        if let file = try? literalFile(path) { return [file] }
        guard GlobPattern.hasWildcards(pattern) else { return [try literalFile(path)] }
        var files: [InputFile] = []
        for alternative in try GlobPattern.alternatives(of: pattern) {
            let full = join(baseFolder, alternative)
            var walk = GlobWalk()
            try walk.run(full)
            files += walk.files
        }
        return files
    }

    private static func literalFile(_ path: String) throws(RecordStreamError) -> InputFile {
        do throws(Platform.Failure) {
            let status = try Platform.status(path)
            if status.kind == .folder { throw Platform.Failure.isFolder }
            return InputFile(path: path, byteCount: status.size, isStream: status.kind == .other)
        } catch {
            throw RecordStreamError(inputFailure: error, path: path)
        }
    }

    private static func join(_ folder: String, _ name: String) -> String {
        var name = name[...]
        while name.hasPrefix("./") && name.count > 2 { name = name.dropFirst(2) }
        if name.hasPrefix("/") || folder.isEmpty || folder == "." { return String(name) }
        return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}

extension RecordStreamError {
    /// The error for an input that the system would not open or read.
    init(inputFailure failure: Platform.Failure, path: String) {
        let kind: Kind =
            if failure.isMissing {
                .inputMissing
            } else if failure.isExhausted {
                .resourcesExhausted(reason: failure.text)
            } else {
                .inputUnreadable(reason: failure.text, isPermission: failure.isPermission)
            }
        self.init(kind, in: path)
    }
}

/// A walk through the folders along one pattern without braces.
private struct GlobWalk {
    var files: [InputFile] = []

    mutating func run(_ pattern: String) throws(RecordStreamError) {
        let parts = pattern.split(separator: "/", omittingEmptySubsequences: true)
        try walk(folder: pattern.hasPrefix("/") ? "/" : "", parts: parts[...])
    }

    private mutating func walk(
        folder: String, parts: ArraySlice<Substring>
    ) throws(RecordStreamError) {
        guard let part = parts.first else { return }
        let rest = parts.dropFirst()
        if part == "**" {
            try walk(folder: folder, parts: rest.isEmpty ? ["*"] : rest)
            for name in try sortedNames(folder) where !name.hasPrefix(".") {
                let path = folder + name
                if try status(path, followingLinks: false)?.kind == .folder {
                    try walk(folder: path + "/", parts: parts)
                }
            }
            return
        }
        guard GlobPattern.hasWildcards(part) else {
            try visit(folder + String(part), rest: rest)
            return
        }
        let pattern = GlobPattern(part)
        for name in try sortedNames(folder) where pattern.matches(name) {
            try visit(folder + name, rest: rest)
        }
    }

    private mutating func visit(
        _ path: String, rest: ArraySlice<Substring>
    ) throws(RecordStreamError) {
        guard let status = try status(path) else { return }
        if rest.isEmpty {
            if status.kind != .folder {
                files.append(
                    InputFile(
                        path: path, byteCount: status.size, isStream: status.kind == .other))
            }
        } else if status.kind == .folder {
            try walk(folder: path + "/", parts: rest)
        }
    }

    /// What stands at a path, nil where that is nothing; what may not be looked at is an error,
    /// since it would be left out unseen.
    private func status(
        _ path: String, followingLinks: Bool = true
    ) throws(RecordStreamError) -> (kind: Platform.NodeKind, size: Int)? {
        do throws(Platform.Failure) {
            return try Platform.status(path, followingLinks: followingLinks)
        } catch {
            guard !error.isMissing else { return nil }
            throw RecordStreamError(inputFailure: error, path: path)
        }
    }

    /// The names in a folder, none where it is missing; one that may not be read is an error,
    /// since what is in it would be left out unseen.
    private func sortedNames(_ folder: String) throws(RecordStreamError) -> [String] {
        do throws(Platform.Failure) {
            return try Platform.names(inFolder: folder).sorted()
        } catch {
            guard !error.isMissing else { return [] }
            throw RecordStreamError(inputFailure: error, path: folder)
        }
    }
}
