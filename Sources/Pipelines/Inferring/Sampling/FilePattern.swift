import Diagnostics
import RecordStreams

/// Finds a pattern for files whose names differ only in their numbers, such as a date.
enum FilePattern {
    /// Returns a pattern that matches exactly these files; `nil` if no pattern does.
    ///
    /// For example, `in/tasks-*.csv` for `in/tasks-2024-05-01.csv` and `in/tasks-2024-05-02.csv`.
    static func pattern(of paths: [String]) -> String? {
        guard paths.count > 1, let first = paths.first else { return nil }
        let folder = PathText.folder(of: first)
        let shape = shape(PathText.lastComponent(first))
        guard shape.contains("*"), shape.first != "*",
            paths.allSatisfy({
                PathText.folder(of: $0) == folder && Self.shape(PathText.lastComponent($0)) == shape
                    && !$0.contains(where: { "*?{}[]\\".contains($0) })
            })
        else { return nil }
        let pattern = String(first.dropLast(PathText.lastComponent(first).count)) + shape
        // If the folder cannot be listed, the files keep their own names.
        let found = try? InputFiles.expand(patterns: [pattern], baseFolder: ".")
        guard let found, Set(found.map(\.pattern)) == Set(paths) else { return nil }
        return pattern
    }

    /// Returns a name with `*` instead of each number; a date with separators is one number.
    private static func shape(_ name: String) -> String {
        var text = ""
        var rest = name[...]
        while let start = rest.firstIndex(where: isDigit) {
            text += rest[..<start] + "*"
            rest = rest[start...].drop(while: isDigit)
            // Skips the separators within a date.
            while let mark = rest.first, "-_.T".contains(mark),
                let next = rest.dropFirst().first, isDigit(next)
            {
                rest = rest.dropFirst().drop(while: isDigit)
            }
        }
        return text + rest
    }

    private static func isDigit(_ character: Character) -> Bool {
        ("0"..."9").contains(character)
    }
}
