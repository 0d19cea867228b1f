/// Faults of the product that the simulation has found and nobody has mended yet; each stands here
/// alone, and a seed that meets another one fails.
struct KnownFault: Sendable {
    /// What is wrong.
    let reason: String
    /// Whether it is what a finding shows.
    let sign: @Sendable (Simulation.Finding) -> Bool

    static let all: [KnownFault] = [
        KnownFault(
            reason: "a loss of power takes the note of a run, but not its rejects, which the next "
                + "run leaves where they are"
        ) { finding in
            finding.hasLostPower && finding.differs { $0.isMore && $0.isOfRejects }
        },
        KnownFault(
            reason: "a run of `commit: run` or `open: replace` that is given up leaves its rejects"
        ) { finding in
            ["commit: run", "open: replace"].contains(finding.scenario)
                && finding.differs { $0.isMore && $0.isOfRejects }
        },
        KnownFault(
            reason:
                "a failure to read an app's store in the last check is taken for damage of the copy"
        ) { $0.what.contains("exit 70") && $0.what.contains("[store.unsound]") },
        KnownFault(
            reason:
                "a migration ends well though its folder cannot be synchronised behind the swap"
        ) { finding in
            finding.scenario == "migrate" && finding.events.contains("then the power is lost")
                && finding.events.contains { $0.contains("; failOn") && $0.contains(" read ") }
        },
        KnownFault(
            reason:
                "a replay that is begun twice goes on where the first one was, and loses rejects"
        ) { finding in
            finding.scenario == "replay" && finding.differs { !$0.isMore && $0.isOfRejects }
                && finding.events.count { $0.hasPrefix("attempt ") } > 2
        },
        KnownFault(
            reason:
                "a kill behind the swap of an app's store leaves the folder of the copy's large "
                + "values"
        ) { finding in
            finding.scenario == "app store"
                && finding.differs { $0.line.hasPrefix("name .Shelf.sqlite.etl-work_SUPPORT/") }
        },
    ]

    static func of(_ finding: Simulation.Finding) -> KnownFault? {
        all.first { $0.sign(finding) }
    }
}
