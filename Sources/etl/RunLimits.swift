import ArgumentParser
import Pipelines

/// The flags that say when a command that runs stages gives up.
struct RunConditions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What to do while another run works on the store, or another program has it locked: \
            fail (75), skip (0), or wait=30m; else a run fails, and a dry one is compared with \
            what the other run has saved so far.
            """, valueName: "policy"), transform: LockedFlag.init)
    var ifLocked: LockedFlag?

    @Option(
        help: ArgumentHelp(
            """
            Save and stop with 75 after this time, also while the store is locked; the next run \
            goes on.
            """, valueName: "30m"),
        transform: DurationFlag.init)
    var timeout: DurationFlag?

    @Option(
        help: ArgumentHelp(
            "Rejects that each import may have, in place of `rejects.allow`.", valueName: "n or n%"),
        transform: { text in
            guard let limit = CountLimit(text) else {
                throw ValidationError("write a number such as 100, or a share such as 5%")
            }
            return limit
        })
    var allowRejects: CountLimit?

    @OptionGroup var commands: CommandFlags

    @Flag(
        name: .customLong("allow-cloudkit"),
        help: "Write an app's store although the app mirrors it to CloudKit.")
    var allowsCloudKit = false

    func apply(to options: inout RunOptions) {
        options.ifLocked = ifLocked?.policy
        options.allowsCloudKit = allowsCloudKit
        options.allowsCommands = !commands.areRefused
        options.timeoutSeconds = timeout?.seconds
        options.allowedRejects = allowRejects
    }
}

/// The flag of commands that may start the commands of a spec.
struct CommandFlags: ParsableArguments {
    @Flag(name: .customLong("no-commands"), help: "Refuse a spec that starts commands (78).")
    var areRefused = false
}

/// The flags that say how much of a spec runs, and for how long.
struct RunLimits: ParsableArguments {
    @Option(
        help: ArgumentHelp("Run this stage alone.", valueName: "stage"),
        completion: Completion.stages)
    var only: String?

    @Option(
        help: ArgumentHelp("Begin with this stage.", valueName: "stage"),
        completion: Completion.stages)
    var from: String?

    @Option(help: ArgumentHelp("Read so many records in each import at most.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Begin anew, whatever an interrupted run has left.")
    var restart = false

    @OptionGroup var conditions: RunConditions

    func validate() throws {
        guard only == nil || from == nil else {
            throw ValidationError("--only and --from contradict each other")
        }
        if let limit, limit < 0 { throw ValidationError("--limit needs a number from 0 on") }
    }

    func apply(to options: inout RunOptions) {
        options.only = only
        options.from = from
        options.recordsMax = limit
        options.isRestart = restart
        conditions.apply(to: &options)
    }
}

/// The flag of commands whose runs have a report.
struct ReportFlag: ParsableArguments {
    @Option(
        name: .customLong("report"),
        help: ArgumentHelp(
            "Write the run's report, JSON, to this file, too; - is stdout.", valueName: "file"),
        completion: .file())
    var file: String?
}

/// The flag of commands that write a store without a spec; such a command cannot be skipped.
struct StoreLockFlag: ParsableArguments {
    @Option(
        name: .customLong("if-locked"),
        help: ArgumentHelp(
            """
            What to do while a run works on the store, or another program has it locked: fail \
            (75), or wait=30m.
            """, valueName: "policy"),
        transform: { text in
            guard text == "fail" || text.hasPrefix("wait=") else {
                throw ValidationError("write fail, or wait= and how long, such as wait=30m")
            }
            return try LockedFlag(text)
        })
    var flag: LockedFlag?
}

/// `fail`, `skip` or `wait=30m`.
struct LockedFlag {
    var policy: RunOptions.LockedPolicy

    init(_ argument: String) throws {
        switch argument {
        case "fail": policy = .fail
        case "skip": policy = .skip
        default:
            guard argument.hasPrefix("wait=") else {
                throw ValidationError("write fail, skip, or wait= and how long, such as wait=30m")
            }
            policy = .wait(seconds: try DurationFlag(String(argument.dropFirst(5))).seconds)
        }
    }
}

/// A duration such as `30m`.
struct DurationFlag {
    var seconds: Int64

    init(_ argument: String) throws {
        guard let seconds = RunOptions.seconds(argument), seconds > 0 else {
            throw ValidationError(
                "write numbers with s, m, h, d or w behind them, more than 0 in all, such as 30m, 2h or "
                    + "1h30m")
        }
        self.seconds = seconds
    }
}
