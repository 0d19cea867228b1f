import ArgumentParser
import FoundationEssentials
import Pipelines

/// Writes the reference pages and the manual page: `etl reference`, for those who work on etl.
struct ReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Write the reference pages and the manual page.",
        shouldDisplay: false)

    @Option(
        help: ArgumentHelp("The folder of the pages.", valueName: "dir"), completion: .directory)
    var output: String

    func run() throws {
        let root = try CommandDescription(dump: EtlCommand._dumpHelp())
        let folder = URL(fileURLWithPath: output)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in ReferencePages.files(root) {
            try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name))
        }
    }
}
