import Files
import FoundationEssentials

/// The folder to which relative paths of the command line refer.
package enum WorkingFolder {
    /// The folder's path as text; `.` if it is not UTF-8.
    package static var path: String { name.exactText ?? "." }

    /// The folder's path without links; `.` if the folder no longer exists.
    static var name: FileName { FileSystem.resolved(FileName(".")) ?? "." }
}

extension FileName {
    /// The path as text: as seen from the working folder if it is not UTF-8 itself.
    var textFromHere: String {
        exactText ?? relative(to: WorkingFolder.name)?.exactText ?? displayText
    }

    /// The path as messages show it: relative to the working folder if that is shorter.
    var shownFromHere: String {
        guard let shown = relative(to: WorkingFolder.name), shown.bytes.count < bytes.count else {
            return displayText
        }
        return shown.displayText
    }
}
