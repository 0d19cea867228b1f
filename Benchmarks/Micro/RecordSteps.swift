import CAllocationCount
import FoundationEssentials
import GraphModel
import GraphStore
import Pipelines
import RecordStreams
import SQLite

/// The allocations and the time of each step of a record's path.
///
/// Each step runs once with N records and once with 2 N. The difference is the cost of N records
/// without the step's fixed cost.
enum RecordSteps {
    private static let records = 20_000

    static func measure(folder: String, specs: String) throws {
        guard allocation_count() >= 0 else {
            throw StepError(text: "requests for memory are counted with glibc alone")
        }
        // The first run creates types and tables that stay allocated.
        _ = try run(records / 10, "\(folder)/warm", specs)
        let once = try run(records, "\(folder)/once", specs)
        let twice = try run(2 * records, "\(folder)/twice", specs)
        print("| step | allocations per 1,000 | ns each |")
        print("|---|---|---|")
        for (small, large) in zip(once.costs, twice.costs) {
            let count = Double(large.records - small.records)
            let allocations = Double(large.allocations - small.allocations) / count * 1000
            let time = (large.seconds - small.seconds) / count * 1e9
            print("| \(small.step) | \(allocations.text(places: 1)) | \(time.text(places: 0)) |")
        }
    }

    private static func run(_ count: Int, _ folder: String, _ specs: String) throws -> StepMeter {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try SampleTasks(count: count).write(to: folder)
        let meter = StepMeter(records: count)
        try RecordReading(folder: folder, specs: specs, meter: meter).run()
        let store = try RecordWriting(folder: folder, specs: specs, meter: meter)
        try store.run()
        try ObjectSteps(container: store.container, meter: meter).run()
        try JobSteps(folder: folder, specs: specs, meter: meter).run()
        return meter
    }
}

struct StepError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

/// Sums the costs of steps.
final class StepMeter {
    struct Cost {
        let step: String
        var records = 0
        var allocations = 0
        var seconds = 0.0
    }

    let records: Int
    private(set) var costs: [Cost] = []

    init(records: Int) {
        self.records = records
    }

    /// Adds the cost of a part of a step.
    func add<R>(_ step: String, of records: Int, _ body: () throws -> R) rethrows -> R {
        if !costs.contains(where: { $0.step == step }) { costs.append(Cost(step: step)) }
        let began = cpuSeconds()
        let before = allocation_count()
        let result = try body()
        let after = allocation_count()
        let ended = cpuSeconds()
        for place in costs.indices where costs[place].step == step {
            costs[place].records += records
            costs[place].allocations += after - before
            costs[place].seconds += ended - began
        }
        return result
    }
}

/// An import of one of the benchmarks' specs, up to its plan.
struct StepPlan {
    let plan: ImportPlan
    let model: ManagedObjectModel

    init(_ spec: String, in specs: String) throws {
        let (read, problems) = SpecificationFile.read(file: "\(specs)/\(spec).yaml")
        guard let read, let stage = read.stages.first?.imported else {
            throw StepError(text: "\(problems)")
        }
        let (values, unbound) = ParameterValues.bind(
            read,
            ParameterValues.Context(
                sets: ["data=tasks", "store=store"], environment: [:], now: Date(),
                workingFolder: "/"))
        guard let values else { throw StepError(text: "\(unbound)") }
        model = try ManagedObjectModel(yamlFile: "\(specs)/model.yaml")
        plan = try ImportPlan(stage, model, values, now: 0)
    }
}
