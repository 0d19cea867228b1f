import Foundation
import PackagePlugin

/// `swift package generate-graph-classes MODEL --output DIR`: `etl model swift` from within a
/// package, with the same arguments; paths begin at the package.
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

    /// What `etl` said stands above it.
    struct Failure: Error, CustomStringConvertible {
        let status: Int32

        var description: String { "etl model swift ended with \(status)" }
    }
}
