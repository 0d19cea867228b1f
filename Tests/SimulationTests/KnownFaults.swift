/// Faults of the product that the simulation has found and nobody has mended yet; each stands here
/// alone, and a seed that meets another one fails.
struct KnownFault: Sendable {
    /// What is wrong.
    let reason: String
    /// Whether it is what a finding shows.
    let sign: @Sendable (Simulation.Finding) -> Bool

    static let all: [KnownFault] = [
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
    ]

    static func of(_ finding: Simulation.Finding) -> KnownFault? {
        all.first { $0.sign(finding) }
    }
}
