import Foundation
import TestSeeds

@testable import Pipelines

/// A runner of work on a simulated disk, with faults that depend on a seed, until the work
/// succeeds.
final class Simulation {
    /// A problem with the result of a seed.
    struct Finding: Error, CustomStringConvertible {
        let scenario: String
        let seed: UInt64
        let what: String
        let events: [String]

        var description: String {
            "\(scenario), seed \(seed): \(what)\n    "
                + events.joined(separator: "\n    ")
                + "\n  Repeat it with: ETL_SIMULATION_SEED=\(seed) swift test --filter Simulation"
        }
    }

    /// The result of work without faults.
    private struct Reference {
        let template: String
        let digest: FolderDigest
        let totals: [String]
        let counts: (changes: Int, reads: Int)
    }

    private static let attemptsMax = 8
    /// Whether to print every call of each attempt.
    var printsCalls = false
    private let root: String
    private let disk: SimulatedDisk
    private var references: [String: Reference] = [:]

    init() throws {
        let shared = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: shared)
            ? shared : FileManager.default.temporaryDirectory.path
        root = base + "/etl-simulation-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: true)
        disk = try SimulatedDisk(root: root)
    }

    deinit {
        disk.end()
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Returns the result without faults, which also depends on whether inputs are decoded on other
    /// threads.
    private func reference(_ scenario: Scenario, smallInputBytes: Int) throws -> Reference {
        let key = "\(scenario.name) \(smallInputBytes)"
        if let known = references[key] { return known }
        let template = "\(root)/template-\(references.count)"
        let empty = "\(root)/empty"
        try? FileManager.default.createDirectory(
            atPath: empty, withIntermediateDirectories: false)
        try disk.reset(to: empty)
        let place = WorkLocation(disk.folder, smallInputBytes: smallInputBytes)
        try scenario.prepare(place)
        try FileManager.default.copyItem(atPath: disk.folder, toPath: template)
        try disk.reset(to: template)
        disk.arm(nil)
        let ending = scenario.work(place)
        guard ending.status == .ok else { throw Unprepared(text: "\(key): \(ending.text)") }
        let counts = disk.counts
        let reference = Reference(
            template: template, digest: try FolderDigest(disk.folder), totals: ending.totals,
            counts: counts)
        references[key] = reference
        return reference
    }

    /// Plays a seed.
    ///
    /// - Returns: The problem, or `nil` if the result is correct.
    func play(_ seed: UInt64, _ scenarios: [Scenario]) throws -> Finding? {
        var random = SeededGenerator(seed: seed)
        let scenario = scenarios[random.pick(scenarios.count)]
        let smallInputBytes = random.chance(50) ? 0 : 16 << 10
        let reference = try reference(scenario, smallInputBytes: smallInputBytes)
        let count = random.pick([1, 1, 1, 2, 3])
        let faults = (0..<count).map { _ in DiskFault(&random, reference.counts) }
        return try disturb(
            scenario, faults, seed: seed, smallInputBytes: smallInputBytes,
            endsInLoss: random.chance(15), &random)
    }

    /// Returns the number of calls that change something if no fault occurs.
    func changes(_ scenario: Scenario) throws -> Int {
        try reference(scenario, smallInputBytes: 0).counts.changes
    }

    /// Does the work with these faults, one per attempt.
    func strike(
        _ scenario: Scenario, _ faults: [DiskFault], endsInLoss: Bool = false
    ) throws -> Finding? {
        var random = SeededGenerator(seed: 0)
        return try disturb(
            scenario, faults, seed: 0, smallInputBytes: 0, endsInLoss: endsInLoss, &random)
    }

    private func disturb(
        _ scenario: Scenario, _ faults: [DiskFault], seed: UInt64, smallInputBytes: Int,
        endsInLoss: Bool, _ random: inout SeededGenerator
    ) throws -> Finding? {
        let reference = try reference(scenario, smallInputBytes: smallInputBytes)
        try disk.reset(to: reference.template)
        let place = WorkLocation(disk.folder, smallInputBytes: smallInputBytes)
        var events: [String] = []
        func finding(_ what: String) -> Finding {
            Finding(
                scenario: scenario.name, seed: seed, what: what,
                events: events.map { $0.replacing(root + "/disk", with: "") } + [
                    "small inputs up to \(smallInputBytes) bytes"
                ] + disk.trace.suffix(12))
        }
        for attempt in 0..<Self.attemptsMax {
            let fault = faults.indices.contains(attempt) ? faults[attempt] : nil
            disk.arm(fault)
            let ending = scenario.work(place)
            let struck = disk.struck
            if printsCalls { print(disk.trace.joined(separator: "\n")) }
            events.append(
                "attempt \(attempt + 1): \(ending.status.rawValue) \(ending.text.prefix(200))"
                    + (struck.map { "; \($0)" } ?? ""))
            guard waitUntilClosed() else {
                return finding("files stay open: \(disk.openFiles)")
            }
            let wasKilled = disk.isDead
            disk.revive(&random, isLoss: wasKilled && fault?.kind.isLoss == true)
            disown()
            if ending.status == .software { return finding("exit 70: \(ending.text)") }
            if wasKilled {
                // Killed after its end; starting over would be new work. Removed files may be back.
                if place.isComplete, let digest = try? FolderDigest(disk.folder) {
                    let difference = digest.difference(from: reference.digest).filter {
                        !($0.isMore && $0.line.hasPrefix("name "))
                    }
                    if difference.isEmpty { return nil }
                }
                continue
            }
            guard ending.status == .ok else {
                if struck == nil { return finding("it cannot be completed: \(ending.text)") }
                continue
            }
            if endsInLoss {
                disk.revive(&random, isLoss: true, isWhole: true)
                events.append("then the power is lost")
            }
            // Files that are not results may be back, or may not have been removed.
            let mayHoldMore = endsInLoss || struck != nil
            return compare(scenario, ending, reference, mayHoldMore: mayHoldMore).map {
                finding($0)
            }
        }
        return finding("it never ends")
    }

    /// Compares the result with the reference.
    ///
    /// - Parameter mayHoldMore: Whether there may be other files until the next run.
    private func compare(
        _ scenario: Scenario, _ ending: Ending, _ reference: Reference, mayHoldMore: Bool
    ) -> String? {
        let digest: FolderDigest
        do {
            digest = try FolderDigest(disk.folder)
        } catch {
            return "the store cannot be read: \(error)"
        }
        let difference = digest.difference(from: reference.digest).filter {
            !mayHoldMore || !($0.isMore && $0.line.hasPrefix("name "))
        }
        if !difference.isEmpty {
            let text = FolderDigest.Difference.text(difference)
            return "differs:\n    " + text.joined(separator: "\n    ")
        }
        guard !scenario.hasTotals || ending.totals == reference.totals else {
            return "the totals differ: \(ending.totals), not \(reference.totals)"
        }
        return nil
    }

    /// Waits until the threads of a killed run have finished, and returns whether they have.
    private func waitUntilClosed() -> Bool {
        for _ in 0..<400 {
            if disk.openFiles.isEmpty { return true }
            usleep(5_000)
        }
        return false
    }

    /// Renames files that contain this process's number, so that they belong to a process that no
    /// longer exists.
    private func disown() {
        let own = "\(getpid())"
        Disk.walk(disk.folder) { path, _ in
            let name = path.split(separator: "/").last ?? ""
            guard name.hasSuffix(".part") || name.contains(".etl-new-"),
                name.contains(own)
            else { return }
            let other = Disk.parent(path) + "/" + name.replacing(own, with: "999999999")
            try? FileManager.default.moveItem(atPath: path, toPath: other)
        }
    }
}
