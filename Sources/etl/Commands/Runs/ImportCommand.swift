import ArgumentParser
import Diagnostics
import Pipelines

/// Imports files without a spec: `etl import FILE… --into STORE`.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import files into a store without a spec.",
        discussion: """
            Reads CSV, TSV, JSON, and NDJSON, also gzipped, and creates the store if it is missing. \
            It infers the entity, the key, the types, and the links as `etl infer` does, and runs \
            the import as `etl run` does. Importing the same files again changes nothing. An \
            import that was killed resumes. On a terminal, and with --verbose, it prints its \
            decisions and results. Otherwise, it prints only errors, warnings, and changes of the \
            store's model.

            If the store exists, the import uses its model. Columns without a property are skipped \
            with a warning. `--add-columns` adds them by a lightweight migration. A file whose entity \
            the store lacks adds the entity in the same way. The old store stays as STORE.bak-v1. \
            The model of a store that an app created is never changed.

            The store's key identifies records. If its entity has no key, name one with `--key`. \
            Later imports keep the types of the first one, and read dates and numbers as it did, \
            unless the numbers of a column need the other decimal mark. If it had a wrong `--type`, \
            remove the store and import again, or change its model with `etl migrate`. Without any \
            key, the columns of the first import identify a record, and the import of a file that \
            lacks one of them fails.

            Rejected records are written to the folder rejects next to the store, reports to the \
            folder runs. Correct them there, and `etl replay FOLDER` imports them. To import other \
            files in the same way, write a spec with `--save-spec`.

            Examples:
              etl import tasks.csv --into tasks.sqlite
              etl import Artist.csv Album.csv Track.csv --into music.sqlite
              zstd -dc tasks.csv.zst | etl import - --entity Task --into tasks.sqlite

            Exit status: that of run.
            """)

    @Argument(
        help: ArgumentHelp("Files of records; - is standard input.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp("The store, an SQLite file.", valueName: "store"), completion: .file())
    var into: String

    @OptionGroup var known: InferenceFlags

    @Flag(help: "Add columns that the store's model lacks; by default, they are skipped.")
    var addColumns = false

    @Option(
        help: ArgumentHelp(
            "Write model.yaml and pipeline.yaml into this folder, and run them.", valueName: "dir"),
        completion: .directory)
    var saveSpec: String?

    @Flag(help: "Change nothing, and print what would change.")
    var dryRun = false

    @Flag(help: "Start over instead of resuming an interrupted import.")
    var restart = false

    @OptionGroup var conditions: RunConditions
    @OptionGroup var verbosity: VerbosityFlags

    @Option(help: "Show a progress bar on stderr: auto, always, or never.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard !into.isEmpty else {
            throw ValidationError("--into has an empty name; name the store's file")
        }
        if dryRun, saveSpec != nil {
            throw ValidationError(
                "--dry-run writes nothing, so it has no --save-spec; use `etl infer --output`")
        }
        if Set(files).count < files.count {
            throw ValidationError("name each file once")
        }
    }

    func run() throws {
        SignalHandling.endAtOnce()
        let isInteractive = Terminal().isInteractive
        let level = verbosity.verbosity.level(isInteractive: isInteractive)
        let log = RunLog(verbosity.verbosity, isInteractive: isInteractive, isDry: dryRun)
        func say(_ line: String, at least: LogLevel) {
            if level == .info || level != .error && least == .warning {
                StandardOutput.show(OutputText(line).text + "\n")
            }
        }
        // With --dry-run, the plan is the output.
        let ordinary = dryRun ? LogLevel.warning : .info
        let fileImport: FileImport
        do throws(RunFailure) {
            var request = FileImport.Request(
                files: files, store: into, workingFolder: WorkingFolder.path)
            request.options = known.options
            request.addsColumns = addColumns
            request.specFolder = saveSpec
            fileImport = try FileImport.prepare(request)
            try fileImport.save()
        } catch {
            for diagnostic in error.diagnostics { log.emit(diagnostic, of: RunIdentity()) }
            throw ExitCode(error.status.rawValue)
        }
        fileImport.decisions.forEach { say($0, at: ordinary) }
        var launch = Launch(verbosity: verbosity.verbosity, progress: progress)
        launch.showsStages = verbosity.verbosity.format == .json
        let outcome = launch.show(
            { options in
                conditions.apply(to: &options)
                options.isOfImport = true
                options.isDry = dryRun
                options.isRestart = restart
            },
            { runner in
                fileImport.run(runner) { backup in
                    if let change = fileImport.modelChange { say(change, at: .warning) }
                    if let backup { say("The old store is \(backup)", at: .warning) }
                }
            })
        if dryRun {
            PlanCommand.show(outcome)
        } else if outcome.status == .ok {
            fileImport.summary(of: outcome).forEach { say($0, at: ordinary) }
        }
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
