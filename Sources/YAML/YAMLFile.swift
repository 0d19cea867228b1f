import Files

/// Why a file could not be read.
struct YAMLFileError: Error {
    var failure: FileFailure

    var isMissing: Bool { failure.isMissing }

    /// The stable code of the problem.
    var code: String {
        if failure.isMissing { return "file.missing" }
        if failure.isExhausted { return "file.resources" }
        return failure.isDenied ? "file.permission" : "file.unreadable"
    }

    var message: String {
        isMissing ? "The file does not exist" : "The file cannot be read: \(failure.text)"
    }
}

/// Reads small files whole.
enum YAMLFile {
    /// The file's bytes, but no more than one beyond the limit.
    static func read(_ path: String, bytesMax: Int) throws(YAMLFileError) -> [UInt8] {
        do throws(FileFailure) {
            return try FileSystem.contents(path, first: bytesMax + 1)
        } catch {
            throw YAMLFileError(failure: error)
        }
    }
}
