internal import Diagnostics
package import Files

/// Finds the files that match patterns.
///
/// `*` and `?` match inside one name, `**` matches any number of folders, and `{a,b}` matches
/// either part. The character after a backslash is literal. As in a shell, `*` and `?` do not match
/// a leading dot. `logs/**/*-{2024,2025}.csv.gz` finds `logs/eu/may/web-2024.csv.gz`.
///
/// Names are bytes, so names that are not UTF-8 are found as well.
package enum InputFiles {
    /// Returns the files that match the patterns, sorted by name, without duplicates.
    ///
    /// Relative patterns start at `baseFolder`. A pattern without matches adds no files. A name
    /// without wildcards that does not exist, and a matching link to a missing file, are the error
    /// `input.missing`.
    package static func expand(
        patterns: [String], baseFolder: String
    ) throws(RecordStreamError) -> [InputFile] {
        var found: [FileName: InputFile] = [:]
        for pattern in patterns {
            for file in try files(matching: pattern, baseFolder: FileName(baseFolder)) {
                found[file.path] = file
            }
        }
        return found.values.sorted { $0.path < $1.path }
    }

    /// Returns the file with a name without wildcards; `-` is standard input, and the name of a
    /// command is a stream.
    package static func file(at path: FileName) throws(RecordStreamError) -> InputFile {
        if path == InputFile.standardInput.path { return .standardInput }
        if InputName.isCommand(path) { return InputFile(path: path, byteCount: 0, isStream: true) }
        return try literalFile(path)
    }

    private static func files(
        matching pattern: String, baseFolder: FileName
    ) throws(RecordStreamError) -> [InputFile] {
        if pattern == "-" { return [.standardInput] }
        guard !pattern.isEmpty else {
            throw RecordStreamError(.badPattern(reason: "it is empty"), in: pattern)
        }
        let path = baseFolder.joining(FileName(pattern))
        // A name that contains wildcards may exist literally; any other error is thrown below.
        if let file = try? literalFile(path) { return [file] }
        guard GlobPattern.hasWildcards(pattern) else { return [try literalFile(path)] }
        var files: [InputFile] = []
        for alternative in try GlobPattern.alternatives(of: pattern) {
            var walk = GlobWalk()
            try walk.run(baseFolder.joining(alternative))
            files += walk.files
        }
        return files
    }

    private static func literalFile(_ path: FileName) throws(RecordStreamError) -> InputFile {
        do throws(SystemFault) {
            let status = try FileStatus(of: path)
            if status.kind == .folder { throw SystemFault.isFolder }
            return InputFile(path: path, status)
        } catch {
            throw RecordStreamError(inputFailure: error, path: path)
        }
    }
}

extension InputFile {
    /// Creates an input from the status of its path, which is not a folder.
    fileprivate init(path: FileName, _ status: FileStatus) {
        let isStream = status.kind != .file
        self.init(path: path, byteCount: isStream ? 0 : status.size, isStream: isStream)
    }
}

extension RecordStreamError {
    /// The error for an input that the system would not open or read.
    init(inputFailure failure: SystemFault, path: FileName) {
        self.init(inputFailure: failure, at: RecordLocation(file: path))
    }

    /// The error for an input that the system would not open or read, at a location in the input.
    init(inputFailure failure: SystemFault, at location: RecordLocation) {
        let kind: Kind =
            if failure.isMissing {
                .inputMissing
            } else if failure.isExhausted {
                .resourcesExhausted(reason: failure.text, isOutput: false)
            } else {
                .inputUnreadable(reason: failure.text, isPermission: failure.isPermission)
            }
        self.init(kind, at: location)
    }
}

/// Walks the folders along one pattern without braces.
private struct GlobWalk {
    private typealias Parts = ArraySlice<ArraySlice<UInt8>>

    var files: [InputFile] = []

    mutating func run(_ pattern: FileName) throws(RecordStreamError) {
        try walk(folder: pattern.isAbsolute ? "/" : "", parts: ArraySlice(pattern.components))
    }

    private mutating func walk(folder: FileName, parts: Parts) throws(RecordStreamError) {
        guard let part = parts.first else { return }
        let rest = parts.dropFirst()
        if part.elementsEqual("**".utf8) {
            try walk(folder: folder, parts: rest.isEmpty ? [ArraySlice("*".utf8)] : rest)
            for name in try sortedNames(folder) where !name.isHidden {
                let path = folder.joining(name)
                if try status(path, followingLinks: false)?.kind == .folder {
                    try walk(folder: path, parts: parts)
                }
            }
            return
        }
        guard GlobPattern.hasWildcards(part) else {
            try visit(folder.joining(FileName(bytes: part)), rest: rest)
            return
        }
        let pattern = GlobPattern(part)
        for name in try sortedNames(folder) where pattern.matches(name) {
            try visit(folder.joining(name), rest: rest)
        }
    }

    private mutating func visit(_ path: FileName, rest: Parts) throws(RecordStreamError) {
        guard let status = try status(path) else {
            // A matching link would be skipped silently, so it is reported; a parent may be missing.
            if rest.isEmpty, try self.status(path, followingLinks: false) != nil {
                throw RecordStreamError(.inputDangling, in: path)
            }
            return
        }
        if rest.isEmpty {
            if status.kind != .folder {
                files.append(InputFile(path: path, status))
            }
        } else if status.kind == .folder {
            try walk(folder: path, parts: rest)
        }
    }

    /// Returns the status of a path, or `nil` if it does not exist.
    ///
    /// Missing permissions are an error, because the file would otherwise be skipped silently.
    private func status(
        _ path: FileName, followingLinks: Bool = true
    ) throws(RecordStreamError) -> FileStatus? {
        do throws(SystemFault) {
            return try FileStatus(of: path, followingLinks: followingLinks)
        } catch {
            guard !error.isMissing else { return nil }
            throw RecordStreamError(inputFailure: error, path: path)
        }
    }

    /// Returns the names in a folder, or none if it is missing.
    ///
    /// An unreadable folder is an error, because its files would otherwise be skipped silently.
    private func sortedNames(_ folder: FileName) throws(RecordStreamError) -> [FileName] {
        do throws(SystemFault) {
            return try FileSystem.names(in: folder.isEmpty ? "." : folder).sorted()
        } catch {
            guard !error.isMissing else { return [] }
            throw RecordStreamError(inputFailure: error, path: folder)
        }
    }
}
