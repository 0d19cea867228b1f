import Diagnostics
import FoundationEssentials

/// The folder in which relative paths of the command line begin.
package enum WorkingFolder {
    /// Its path as text; `.` if that is not UTF-8.
    package static var path: String { name.exactText ?? "." }

    /// Its path.
    static var name: FileName { FileDescriptor.resolved(FileName(".")) ?? "." }
}

/// Files, read as a whole.
enum FileContents {
    /// The bytes of a file, by a path that `URL` would damage if the working folder is not UTF-8.
    static func data(_ path: String) throws -> Data {
        guard let bytes = FileDescriptor.contents(FileName(path)) else {
            throw CocoaError(.fileReadUnknown)
        }
        return Data(bytes)
    }
}

extension FileName {
    /// The path as text: as seen from the working folder if it is not UTF-8 itself.
    var textFromHere: String {
        exactText ?? relative(to: WorkingFolder.name)?.exactText ?? displayText
    }
}
