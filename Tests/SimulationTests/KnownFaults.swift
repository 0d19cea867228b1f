/// Faults of the product that the simulation has found and nobody has mended yet; each stands here
/// alone, and a seed that meets another one fails.
struct KnownFault: Sendable {
    /// What is wrong.
    let reason: String
    /// Whether it is what a finding shows.
    let sign: @Sendable (Simulation.Finding) -> Bool

    static let all: [KnownFault] = []

    static func of(_ finding: Simulation.Finding) -> KnownFault? {
        all.first { $0.sign(finding) }
    }
}
