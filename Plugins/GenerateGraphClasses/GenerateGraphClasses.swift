import Foundation
import PackagePlugin

/// Runs `etl model swift` inside a package: `swift package generate-graph-classes MODEL --output
/// DIR`.
///
/// It takes the same arguments. Relative paths start at the package folder.
@main struct GenerateGraphClasses: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "etl").url
        process.arguments = ["model", "swift"] + arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus)
        }
    }

    /// A failure of `etl`, whose own messages are printed above it.
    struct Failure: Error, CustomStringConvertible {
        let status: Int32

        var description: String { "etl model swift ended with \(status)" }
    }
}
