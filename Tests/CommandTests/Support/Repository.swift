import Foundation

/// The checkout from which these tests were built.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func path(_ relative: String) -> String {
        root.appendingPathComponent(relative).path
    }

    static func text(_ relative: String) throws -> String {
        try String(contentsOfFile: path(relative), encoding: .utf8)
    }

    /// Returns the names of the files in a folder, sorted.
    static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }

    /// Returns the paths of all files in a folder whose names have this ending.
    static func files(under folder: String, ending: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: path(folder))?.compactMap {
            $0 as? String
        }
        return (found ?? []).filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }.sorted()
    }

    /// The files of `pipelines/` that are specs, by name; the others are models.
    static let specs: [String] = {
        let names = (try? files(in: "pipelines")) ?? []
        return names.filter { name in
            let lines = (try? text("pipelines/\(name)"))?.split(separator: "\n") ?? []
            return lines.contains { $0.hasPrefix("etl:") }
        }
    }()

    /// Returns a path in the folder `shared`, which is next to the checkout if it exists.
    static func shared(_ relative: String) -> String {
        root.deletingLastPathComponent().appendingPathComponent("shared/\(relative)").path
    }

    static func hasShared(_ relative: String) -> Bool {
        FileManager.default.fileExists(atPath: shared(relative))
    }
}
