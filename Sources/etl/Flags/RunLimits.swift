import ArgumentParser
import Pipelines

/// The flags that limit how long a run waits, and how many rejects it allows.
struct RunConditions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Behavior if another run uses the store, or another program has locked it: fail (75), \
            skip (0), or wait=30m. By default, a run fails, and a dry run compares with the saves \
            of the other run so far.
            """, valueName: "policy"), transform: LockedFlag.init)
    var ifLocked: LockedFlag?

    @Option(
        help: ArgumentHelp(
            """
            Save and exit with 75 after this time, also while the store is locked; the next run \
            resumes.
            """, valueName: "30m"),
        transform: DurationFlag.init)
    var timeout: DurationFlag?

    @Option(
        help: ArgumentHelp(
            """
            Limit of rejects per import, instead of `rejects.allow`; a lower `rejects.abort` is \
            raised to it.
            """, valueName: "n or n%"),
        transform: { text in
            guard let limit = CountLimit(text) else {
                throw ValidationError("write a number such as 100, or a percentage such as 5%")
            }
            return limit
        })
    var allowRejects: CountLimit?

    @OptionGroup var commands: CommandFlags

    @Flag(
        name: .customLong("allow-cloudkit"),
        help: "Allow writing a store that its app mirrors to CloudKit.")
    var allowsCloudKit = false

    func apply(to options: inout RunOptions) {
        options.ifLocked = ifLocked?.policy
        options.allowsCloudKit = allowsCloudKit
        options.allowsCommands = !commands.areForbidden
        options.timeoutSeconds = timeout?.seconds
        options.allowedRejects = allowRejects
    }
}

/// The flag of commands that may start the commands of a spec.
struct CommandFlags: ParsableArguments {
    @Flag(name: .customLong("no-commands"), help: "Fail with 78 if the spec starts commands.")
    var areForbidden = false
}

/// The flags that limit which part of a spec runs, and for how long.
struct RunLimits: ParsableArguments {
    @Option(
        help: ArgumentHelp("Run only this stage.", valueName: "stage"),
        completion: Completion.stages)
    var only: String?

    @Option(
        help: ArgumentHelp("Start with this stage.", valueName: "stage"),
        completion: Completion.stages)
    var from: String?

    @Option(help: ArgumentHelp("Read at most N records per import.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Start over instead of resuming an unfinished run.")
    var restart = false

    @OptionGroup var conditions: RunConditions

    func validate() throws {
        guard only == nil || from == nil else {
            throw ValidationError("--only and --from contradict each other")
        }
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or more") }
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
            "Also write the report, as JSON, to this file; - is stdout.", valueName: "file"),
        completion: .file())
    var file: String?
}

/// The flag `--if-locked` of commands that write a store without a spec.
///
/// Unlike a run, such a command cannot be skipped, so the policy `skip` is not allowed.
struct StoreLockFlag: ParsableArguments {
    @Option(
        name: .customLong("if-locked"),
        help: ArgumentHelp(
            """
            Behavior if a run uses the store, or another program has locked it: fail (75), or \
            wait=30m.
            """, valueName: "policy"),
        transform: { text in
            guard text == "fail" || text.hasPrefix("wait=") else {
                throw ValidationError("write fail, or wait= and a duration, such as wait=30m")
            }
            return try LockedFlag(text)
        })
    var flag: LockedFlag?
}

/// The parsed value of `--if-locked`: `fail`, `skip`, or `wait=30m`.
struct LockedFlag {
    var policy: RunOptions.LockedPolicy

    init(_ argument: String) throws {
        switch argument {
        case "fail": policy = .fail
        case "skip": policy = .skip
        default:
            guard argument.hasPrefix("wait=") else {
                throw ValidationError("write fail, skip, or wait= and a duration, such as wait=30m")
            }
            policy = .wait(seconds: try DurationFlag(String(argument.dropFirst(5))).seconds)
        }
    }
}

/// The parsed value of a flag for a duration, such as `30m`.
struct DurationFlag {
    var seconds: Int64

    init(_ argument: String) throws {
        guard let seconds = RunOptions.seconds(argument), seconds > 0 else {
            throw ValidationError(
                "write a duration greater than zero with the units s, m, h, d, or w, such as 30m, 2h, or "
                    + "1h30m")
        }
        self.seconds = seconds
    }
}
