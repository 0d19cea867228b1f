import ArgumentParser
import GraphStore
import Pipelines

/// Brings a store to another version of its model: `etl migrate STORE --to MODEL`.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring a store to another version of its model.",
        discussion: """
            First prints each difference with the number of its objects, values, or links. Also \
            prints how many objects are kept, and how many a mapping's `where` drops. Then migrates. \
            `renamed-from` in the new model identifies renamed entities and properties.

            The new store is built in STORE.migrating and checked as by `etl verify`. Then it gets \
            the name of the old store, which stays as STORE.bak-v1, -v2, and so on; the newest 3 \
            are kept. A migration that is stopped or killed leaves the old store or the new one \
            complete. No other process may have the store open.

            To restore the old store, move STORE.bak-v1 to STORE. If the folder \
            .STORE.bak-v1_SUPPORT exists, move it to the folder with the large values of STORE.

            If the two models do not say what happens to the data, write it in migrations/OLD-NEW.yaml \
            next to the new model. OLD and NEW are the `version` of each model; versions of a bundle \
            without an identifier go by their names. `--write-mapping FILE` writes the start of such a \
            file. It has `mapping: 1`, and under `entities` each new entity with:

            - `from`: the old entity, if its name differs.
            - `where`: a predicate. Old objects that do not match it are dropped.
            - `set`: new values. An attribute has an expression over the old object, such as \
            priority: "ternary(p == 'high', 2, 0)". A relationship is set to the name \
            of an old one, or to a key path of to-one relationships such as country.continent. It \
            can also be $source: the object that another mapping creates from the same old one.
            - `lookup`: links to objects by a key, which is a string or an integer. Missing objects \
            are created: tags: { by: name, from: tagText, split: "," }
            - `todo`: a decision that you have still to make. `--write-mapping` writes one for each class \
            of the app and each expression that etl cannot evaluate. A file with a `todo` migrates \
            nothing.

            A list of mappings under one entity merges several old entities. Several new entities that come \
            from one old entity split it.

            For an Xcode bundle, etl also reads the app's mapping models (.xcmappingmodel). It searches \
            the bundle's folder and the folder above it, up to two folders deep, for the one between \
            the two versions. The migration stops before it writes anything if a mapping model names a \
            class of the app, or contains an expression that etl cannot evaluate. The message names \
            the entity and the class or the expression. A mapping file for that step replaces the \
            mapping model.

            If the model has older versions, a store of one of them is migrated through the later \
            versions in the fewest steps. A step leads to the next version, or by a mapping over \
            several versions. A YAML file lists its older versions under `history: [tasks-1.yaml]`, oldest \
            first. An Xcode bundle has its versions up to the current one, or up to the one that `--to` \
            names: --to 'Tasks.xcdatamodeld/Tasks 2.xcdatamodel'. Adjacent steps without a mapping are \
            combined if the result is the same; renames are followed through all of them.

            The migration fails if a required to-many relationship would be empty, or if numbers of \
            objects would exceed the limits of the new model.

            With `--dry-run`, etl plans the first step on the store itself. For several steps, a \
            mapping, or limits for numbers of objects, it then migrates a copy in `TMPDIR`. It prints \
            the plan of each step, and removes the copy.

            If the store has the model already, it is not changed.

            An app's store stays one: its metadata, table names, history, and triggers are kept. If it \
            carries its model, it carries the new one afterwards, so other commands need no `--model`. \
            The migration fails if the app could not open the result, because derived attributes \
            differ or only the app can create a trigger. For a store that the app mirrors to \
            CloudKit, `--allow-cloudkit` is required.

            Exit status:
              0 migrated, or the store has the model already
              64 usage
              65 the objects break a rule of the new model
              66 the store or the model is missing
              71 out of descriptors or memory
              73 STORE.migrating is another file
              74 disk full or I/O error
              75 the store is in use
              77 permission denied
              78 the model is wrong, or the migration needs a mapping
              129, 130, 143 stopped by a signal

            After any status except 0, the store is unchanged, or has the last version that a step \
            completed.
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        help: ArgumentHelp(
            "The new model: YAML, .xcdatamodeld, a version in it, or a store.",
            valueName: "model"),
        completion: .file())
    var to: String

    @Flag(help: "Change nothing, check all steps, and print the plan.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Write a draft of a mapping file, and migrate nothing.", valueName: "file"),
        completion: .file())
    var writeMapping: String?

    @Flag(
        name: .customLong("allow-cloudkit"),
        help: "Allow a store that its app mirrors to CloudKit.")
    var allowsCloudKit = false

    @OptionGroup var ifLocked: StoreLockFlag

    @Option(help: "Show a progress line: auto, always, or never.")
    var progress = ProgressMode.auto

    func validate() throws {
        if dryRun, ifLocked.flag != nil {
            throw ValidationError("--dry-run does not wait, so --if-locked has no effect")
        }
        if dryRun, writeMapping != nil {
            throw ValidationError("--write-mapping migrates nothing, so --dry-run has no effect")
        }
    }

    func run() throws {
        let terminal = Terminal()
        let display = ProgressDisplay(
            isShown: progress.isShown(on: terminal, .text) && !dryRun, terminal: terminal)
        let migration = StoreMigration(
            store: store, to: to, allowsCloudKit: allowsCloudKit, ifLocked: ifLocked.flag?.policy,
            progress: display.progress, interruption: SignalHandling.install())
        try URLCheck.reject(file: store)
        if let writeMapping {
            return StandardOutput.write(try migration.writeMapping(to: writeMapping) + "\n")
        }
        if dryRun { return try migration.rehearse { show($1, of: $0, on: terminal) } }
        display.start()
        defer { display.stop() }
        let backup = try migration.run { step, plan in
            display.clear { show(plan, of: step, on: terminal) }
        }
        display.stop()
        if let backup { StandardOutput.write("The old store is \(backup)\n") }
    }

    private func show(
        _ plan: MigrationPlan, of step: StoreMigration.Step, on terminal: Terminal
    ) {
        guard !plan.isEmpty || terminal.isInteractive else { return }
        let mapping = step.xcodeMapping.map { "by \($0)" }
        if let title = step.title {
            StandardOutput.write(
                "To " + [title, mapping].compactMap(\.self).joined(separator: ", ") + ":\n")
        } else if let mapping {
            StandardOutput.write("By \(mapping.dropFirst(3)):\n")
        }
        // The reason for a failure is reported as an error after the plan.
        StandardOutput.write(plan.outline)
    }
}
