import ArgumentParser
import GraphStore
import Pipelines

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Brings a store to another version of its model: `etl migrate STORE --to MODEL`.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring a store to another version of its model.",
        discussion: """
            Prints what differs, with the number of objects, values or links that it is about, \
            the objects that are kept, and those that a mapping's `where` leaves behind; then \
            migrates. Renamed entities and properties are told by \
            `renamed-from` of the new model.

            The new store is built beside the old one, in STORE.migrating, and looked at as \
            `etl verify` does; then it takes the old one's name, and the old one stays as \
            STORE.bak-v1, -v2 and so on, of which the newest 3 are kept. A migration that is stopped or killed \
            leaves the old store or the new one, whole. Nobody else may have the store open.

            To go back, move STORE.bak-v1 to STORE, and the folder .STORE.bak-v1_SUPPORT, if there \
            is one, to where STORE has its large values.

            If the two models do not say what happens to the data, write it in migrations/OLD-NEW.yaml \
            next to the new model. OLD and NEW are the `version` of each model; versions of a bundle \
            without an identifier go by their names. `--write-mapping FILE` writes the start of such a \
            file. It has `mapping: 1`, and under `entities` each new entity with:

            - `from`: the old entity, if its name differs.
            - `where`: a predicate. Old objects that do not match it are left behind.
            - `set`: new values. An attribute has an expression over the old object, such as \
            priority: "ternary(p == 'high', 2, 0)". A relationship has the name of an old one, a key path of \
            to-one relationships such as country.continent, or $source: the object that another \
            mapping creates from the same old one.
            - `lookup`: links to objects by a key, which is a string or an integer. Missing objects \
            are created: tags: { by: name, from: tagText, split: "," }
            - `todo`: a decision that you have still to make. `--write-mapping` writes one for each class \
            of the app and each expression that etl cannot evaluate. While the file has a `todo`, \
            nothing is migrated.

            A list of mappings under one entity merges several old entities. Several new entities that come \
            from one old entity split it.

            For an Xcode bundle, etl also reads the app's mapping models (.xcmappingmodel). It searches \
            the bundle's folder and the folder above it, up to two folders deep, and takes the one whose \
            models are the two versions. If a mapping model names a class of the app, or contains an \
            expression that etl cannot evaluate, the migration stops before it writes anything, and \
            names the entity and the class or the expression. A mapping file for that step replaces the \
            mapping model.

            If the model has older versions, a store of one of them is migrated through the versions \
            after it, in the fewest steps: from each version to the next, and by a mapping over several \
            versions at once. A YAML file lists its older versions under `history: [tasks-1.yaml]`, oldest \
            first. An Xcode bundle has its versions up to the current one, or up to the one that `--to` \
            names: --to 'Tasks.xcdatamodeld/Tasks 2.xcdatamodel'. Adjacent steps without a mapping are done as one \
            step if the result is the same: renames are followed through all of them.

            Required to-many relationships must not end up empty, and numbers of objects must be within \
            the limits of the new model; otherwise, the migration is refused.

            With `--dry-run`, etl plans the first step on the store as it is. If there are several steps, \
            a mapping, or limits for numbers of objects, it then migrates a copy in the folder for \
            temporary files (`TMPDIR`), prints the plan of each step, and removes the copy.

            A store that has the model already stays as it is.

            A store that an app made stays one: its metadata keeps what the app has written there, \
            tables are named as the app names them, and history and triggers come along. If it \
            carries its model, it carries the new one afterwards, so other commands need no `--model`. \
            What would leave a store that the app does not open is refused: \
            derived attributes that differ, and triggers that only the app can make. A store that is \
            mirrored to CloudKit is refused without `--allow-cloudkit`.

            Exit status: 0 migrated, or nothing to do, 64 usage, 65 the objects are not as the new \
            model wants them, 66 the store or the model is missing, 71 out of descriptors or \
            memory, 73 STORE.migrating is another file, 74 disk full or I/O error, 75 the store is \
            in use, 77 permission denied, 78 the model is wrong, or the migration needs a mapping, \
            129, 130 and 143 stopped by a signal. In all cases but the first the store is as it \
            was, or of the last version in between that it came to.
            """)

    @Argument(help: "The store, an SQLite file.", completion: .file())
    var store: String

    @Option(
        help: ArgumentHelp(
            "The model that the store is to have: YAML, .xcdatamodeld, a version in it, or a store.",
            valueName: "model"),
        completion: .file())
    var to: String

    @Flag(help: "Change nothing, check all steps, and print what would be done.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Write the start of a mapping file, and migrate nothing.", valueName: "file"),
        completion: .file())
    var writeMapping: String?

    @Flag(
        name: .customLong("allow-cloudkit"),
        help: "Migrate an app's store although the app mirrors it to CloudKit.")
    var allowsCloudKit = false

    @OptionGroup var ifLocked: StoreLockFlag

    @Option(help: "Show a progress line: auto, always or never.")
    var progress = ProgressMode.auto

    func validate() throws {
        if dryRun, ifLocked.flag != nil {
            throw ValidationError("--dry-run waits for nobody, so --if-locked says nothing")
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
        do throws(RunFailure) {
            if let writeMapping {
                print(try migration.writeMapping(to: writeMapping))
                return
            }
            if dryRun {
                return try migration.rehearse { show($1, of: $0, on: terminal) }
            }
            display.start()
            defer { display.stop() }
            let backup = try migration.run { step, plan in
                display.clear { show(plan, of: step, on: terminal) }
            }
            display.stop()
            if let backup { print("The old store is \(backup)") }
        } catch {
            display.stop()
            throw error.shown()
        }
    }

    private func show(
        _ plan: MigrationPlan, of step: StoreMigration.Step, on terminal: Terminal
    ) {
        guard !plan.isEmpty || terminal.isInteractive else { return }
        let mapping = step.xcodeMapping.map { "by \($0)" }
        if let title = step.title {
            print("To " + [title, mapping].compactMap(\.self).joined(separator: ", ") + ":")
        } else if let mapping {
            print("By \(mapping.dropFirst(3)):")
        }
        // Why it cannot be done is reported as an error, behind what is printed.
        print(plan.outline, terminator: "")
        fflush(nil)
    }
}
