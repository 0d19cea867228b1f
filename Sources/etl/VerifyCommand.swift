import ArgumentParser
import Diagnostics
import FoundationEssentials
import Logging
import Pipelines

/// Looks whether a store is sound, or saves what can be read of it: `etl verify STORE`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Look whether a store is sound, or save what can be read of a damaged one.",
        discussion: """
            Looks at the file, the tables, the version hashes, the numbers that keys are taken \
            from, required values, ranges, lengths and patterns, unique keys, links from both ends, orders, files of large \
            values, folded texts and the history. Each finding is a line on stdout, with the \
            numbers of the first objects; a sound store prints nothing where nobody watches. \
            Lines that begin with `remark:` are no faults, such as a missing Z_MODELCACHE. \
            Nothing in the store's folder changes: one that has a log is looked at in a copy.

            --repair writes a new store with everything that can be read, and tells what was \
            lost; the old one is not touched. The new one and its folder of external files, such as \
            .NEW_SUPPORT, must not exist. Look at the new one, then move it into place.

            Exit status: 0 sound, or everything was saved, 1 it is not sound, or something was \
            lost, 64 usage, such as a model in place of the store, 66 the store is missing, 73 the \
            new store is there already or cannot be made, 74 nothing can be read, or I/O error, 75 \
            the store is in use, 77 permission denied, 78 the model is wrong, or not known.
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        help: ArgumentHelp(
            "The model that the store should have: YAML, .xcdatamodeld, or a store.",
            valueName: "model"),
        completion: .file())
    var model: String?

    @Flag(help: "Leave out the objects' values and links, and the entries of indexes.")
    var quick = false

    @Flag(help: "Print one JSON object, also where the store is sound.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Save what can be read into this new store, and tell what was lost.",
            valueName: "new store"),
        completion: .file())
    var repair: String?

    func validate() throws {
        if quick, repair != nil {
            throw ValidationError("--repair reads everything, so --quick says nothing")
        }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        let known = try model.map { try ModelCommand.read($0) }
        let check = StoreCheck(store: store, model: known, modelFile: model, isQuick: quick)
        let answer: StoreCheck.Answer
        do throws(RunFailure) {
            if let repair {
                answer = try check.repair(to: repair)
            } else {
                answer = try check.verify()
            }
            print(try check.text(answer, json: json), terminator: "")
        } catch {
            throw error.shown()
        }
        let logger = Logger(label: "etl") { _ in StandardErrorLog() }
        if let warning = answer.warning {
            logger.warning("\(DiagnosticRenderer.text(warning))")
        }
        if let hint = answer.hint, !json { logger.notice("\(hint)") }
        if Terminal().isInteractive, !json { logger.notice("\(answer.summary)") }
        guard answer.isGood else { throw ExitCode(ExitStatus.check.rawValue) }
    }
}
