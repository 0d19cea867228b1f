import ArgumentParser
import FoundationEssentials
import Pipelines

/// Checks a store for damage, or recovers data from it: `etl verify STORE`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a store for damage, or recover data from a damaged one.",
        discussion: """
            Checks:

            - the file, the tables, and the version hashes
            - the counters of primary keys
            - required values, ranges, lengths, patterns, and unique keys
            - both ends of links and orders
            - files of large values, folded texts, and the history

            Prints each fault as a line with the primary keys of the first objects. For a valid \
            store, it prints nothing unless stderr is a terminal. A line that begins with \
            `remark:`, such as a missing Z_MODELCACHE, is not a fault. Changes nothing in the \
            store's folder; a store with a write-ahead log is checked in a copy.

            --repair writes everything that can be read into a new store, and prints the lost \
            data. The old store is not changed. The new store and its folder of external files, \
            such as .NEW_SUPPORT, must not exist. Check the new store, then move it to the old path.

            Exit status:
              0 valid, or everything was recovered
              1 faults were found, or data was lost
              64 usage, such as a model instead of a store
              66 the store is missing
              73 the new store exists or cannot be created
              74 nothing can be read, or I/O error
              75 the store is in use
              77 permission denied
              78 the model is wrong or unknown
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        help: ArgumentHelp(
            "The expected model: YAML, .xcdatamodeld, or a store.",
            valueName: "model"),
        completion: .file())
    var model: String?

    @Flag(help: "Do not check values, links, and entries of indexes.")
    var quick = false

    @Flag(help: "Print one JSON object, also if the store is valid.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write readable data to this new store, and print the lost data.",
            valueName: "new store"),
        completion: .file())
    var repair: String?

    func validate() throws {
        if quick, repair != nil {
            throw ValidationError("--repair reads everything, so --quick has no effect")
        }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        for file in [store, repair] { try file.map(URLCheck.reject(file:)) }
        let known = try model.map { try ModelCommand.read($0) }
        let check = StoreCheck(store: store, model: known, modelFile: model, isQuick: quick)
        let answer = try repair.map(check.repair(to:)) ?? check.verify()
        StandardOutput.write(try check.text(answer, json: json))
        if let warning = answer.warning { Terminal.write(warning) }
        if let hint = answer.hint, !json { Terminal.writeMessage(hint) }
        if Terminal().isInteractive, !json { Terminal.writeMessage(answer.summary) }
        guard answer.isGood else { throw ExitCode(ExitStatus.check.rawValue) }
    }
}
