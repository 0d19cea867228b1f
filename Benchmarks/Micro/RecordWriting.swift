import GraphModel
import GraphStore
import Pipelines
import RecordStreams
import SQLite

/// Filtering, mapping, binding, and upserting, each measured separately, batch by batch.
struct RecordWriting {
    private let folder: String
    private let meter: StepMeter
    private let plan: ImportPlan
    let container: PersistentContainer

    init(folder: String, specs: String, meter: StepMeter) throws {
        self.folder = folder
        self.meter = meter
        let made = try StepPlan("import", in: specs)
        plan = made.plan
        container = try PersistentContainer(
            model: made.model, at: "\(folder)/steps.sqlite", opening: .create)
    }

    func run() throws {
        try filterAndBind()
        try upsert("upsert, new")
        try upsert("upsert, unchanged")
    }

    /// Passes each batch of the input to a closure, with its fields mapped.
    private func forEachBatch(_ body: (MappedBatch) throws -> Void) throws {
        let input = try InputFiles.expand(patterns: ["tasks.ndjson"], baseFolder: folder)[0]
        let reader = try RecordReader(
            input: input, options: ReadOptions(), selection: plan.selection)
        var mapper = RecordMapper(plan)
        let batch = MappedBatch(plan)
        while try reader.next(batch.records) {
            mapper.map(batch)
            try body(batch)
        }
    }

    private func filterAndBind() throws {
        let paths = plan.selection.paths.map(\.text)
        let filter = try CompiledPredicate(
            ParsedPredicate(format: "isCompleted == NO AND priority >= 1").predicate
        ) { names in paths.firstIndex(of: names.joined(separator: ".")) }
        let connection = try Connection()
        let statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8")
        var mapper = RecordMapper(plan)
        var kept = 0
        try forEachBatch { batch in
            try meter.add("predicate", of: batch.records.count) {
                for record in 0..<batch.records.count {
                    let row = RecordRow(fields: batch.records.fields(of: record), isTabular: false)
                    if try filter.evaluate(row) { kept += 1 }
                }
            }
            meter.add("map", of: batch.records.count) { _ = mapper.map(batch) }
            try meter.add("bind", of: batch.rows.count) {
                for row in 0..<batch.rows.count { try bind(batch.rows.row(row), to: statement) }
            }
        }
        guard kept > 0, kept < meter.records else { throw StepError(text: "\(kept) were kept") }
    }

    private func bind(_ cells: UnsafePointer<BulkCell>, to statement: Statement) throws {
        for place in 0..<8 {
            let cell = cells[place]
            let index = Int32(place + 1)
            switch cell.kind {
            case .integer: statement.bind(cell.integerValue, at: index)
            case .real: statement.bind(cell.realValue, at: index)
            case .text: statement.bind(text: cell.bytes, at: index)
            case .blob: statement.bind(blob: cell.bytes, at: index)
            default: statement.bindNull(at: index)
            }
        }
        _ = try statement.step()
        statement.reset()
    }

    private func upsert(_ step: String) throws {
        let context = container.newContext()
        let writer = try context.bulkWriter(for: plan.bulk)
        var first: Int64 = 1
        try forEachBatch { batch in
            try meter.add(step, of: batch.rows.count) {
                try writer.apply(batch.rows, firstToken: first)
            }
            first += Int64(batch.rows.count)
        }
        try meter.add(step, of: 0) {
            try writer.finish()
            try context.save()
            try container.buildPendingIndexes()
        }
        guard writer.tally.inserted + writer.tally.unchanged == meter.records else {
            throw StepError(text: "\(writer.tally)")
        }
    }
}
