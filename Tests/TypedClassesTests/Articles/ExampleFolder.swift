import Foundation

/// A folder that is deleted with its owner, and the path of the package.
final class ExampleFolder: Sendable {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("articles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    static func model(_ name: String) -> String {
        "\(root)/Tests/TypedClassesTests/Models/\(name).yaml"
    }
}
