import ArgumentParser
import Files
import Pipelines

/// Writes the reference pages and the manual page: `etl reference`, for developers of etl.
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
        try FileSystem.makeFolders(output)
        for file in ReferencePages.files(root) {
            try FileSystem.replace("\(output)/\(file.name)", with: Array(file.text.utf8))
        }
    }
}
