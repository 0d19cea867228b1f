import Foundation
import TestSeeds
import Testing

/// Kills, failures, and power losses at random calls, after which the work must have the same
/// result as without them.
///
/// `ETL_SIMULATION_SEEDS=N` plays N seeds. `ETL_SIMULATION_SEED=S` plays only the seed S, and
/// prints its calls.
@Suite("Simulation", .serialized) struct SimulationTests {
    private static let seedsDefault = 100

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["ETL_SIMULATION_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["ETL_SIMULATION_SEEDS"].flatMap { Int($0) } ?? seedsDefault
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        return (0..<count).map { _ in random.next() >> 16 }
    }

    @Test("work that is disturbed and repeated has the result of undisturbed work")
    func disturbed() throws {
        let environment = ProcessInfo.processInfo.environment
        let wanted = environment["ETL_SIMULATION_SCENARIO"]
        let scenarios = Scenario.all.filter { wanted == nil || $0.name == wanted }
        let simulation = try Simulation()
        simulation.printsCalls = environment["ETL_SIMULATION_SEED"] != nil
        var findings = 0
        for seed in Self.seeds {
            guard let finding = try simulation.play(seed, scenarios) else { continue }
            findings += 1
            if findings <= 20 { Issue.record("\(finding)") }
        }
    }

    private func scenario(_ name: String) throws -> Scenario {
        try #require(Scenario.all.first { $0.name == name })
    }

    @Test("a repair fails if the last writes to its store fail")
    func repairFails() throws {
        let (simulation, repair) = (try Simulation(), try scenario("repair"))
        let count = try simulation.changes(repair)
        for call in max(1, count - 40)...count {
            let finding = try simulation.strike(repair, [DiskFault(.failOnce, at: call)])
            #expect(finding == nil, "\(finding as Any)")
        }
    }

    @Test(
        "what a run has reported as done survives a loss of power",
        arguments: [
            "export", "first load", "commit: run", "open: replace", "migrate",
            "migrate while opening", "app store",
        ])
    func isDurable(_ name: String) throws {
        let finding = try Simulation().strike(try scenario(name), [], endsInLoss: true)
        #expect(finding == nil, "\(finding as Any)")
    }
}
