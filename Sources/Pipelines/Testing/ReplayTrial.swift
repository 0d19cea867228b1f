import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// Reads and maps the rejects of many folders with one spec, and writes nothing.
///
/// It makes it fast to test many folders: a replay spends most of its time on the store and the
/// report.
package struct ReplayTrial {
    private let spec: PipelineSpec
    private let model: ManagedObjectModel
    private let values: ParameterValues
    private let options: RunOptions

    /// Reads the spec and its model, which all trials use.
    ///
    /// - Throws: an error if the spec or its model cannot be read.
    package init(_ file: String, _ options: RunOptions) throws {
        let context = ParameterValues.Context(
            sets: options.sets, environment: options.environment, now: options.now,
            workingFolder: options.workingFolder, runID: "trial")
        let (checked, found, problems) = SpecificationFile.check(file: file, context)
        guard let checked, let found else { throw RunFailure(problems: problems) }
        let (bound, unbound) = ParameterValues.bind(checked, context)
        guard let bound else { throw RunFailure(.configuration, unbound) }
        (spec, model, values) = (checked, found, bound)
        self.options = options
    }

    /// Returns the numbers of records that a replay of the folder would accept and reject; `nil` if
    /// it would not begin.
    package func run(_ folder: String) -> (mapped: Int, refused: Int)? {
        do {
            return try counts(folder)
        } catch {
            return nil
        }
    }

    private func counts(_ folder: String) throws -> (mapped: Int, refused: Int) {
        let replay = try Replay(folder, workingFolder: options.workingFolder)
        let spec = try replay.spec(from: spec)
        for file in replay.files { _ = try RejectReason.read(replay.reasonsPath(of: file)) }
        var counts = (mapped: 0, refused: 0)
        for stage in spec.stages {
            guard let imported = stage.kind as? ImportSpec else { continue }
            let plan = try ImportPlan(
                imported, model, values, now: options.now.timeIntervalSinceReferenceDate)
            let inputs = try ImportInputs(imported.read, spec, values)
            var mapper = RecordMapper(plan)
            for file in inputs.files {
                let reader = try inputs.reader(of: file, plan.selection)
                let batch = MappedBatch(plan)
                while try reader.next(batch.records) {
                    batch.format = reader.format
                    batch.columnNames = reader.columnNames
                    mapper.map(batch)
                    counts.mapped += batch.rows.count
                    counts.refused += batch.rejects.count
                }
            }
        }
        return counts
    }
}
