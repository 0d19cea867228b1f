import GraphModel
import Pipelines
import RecordStreams

/// The steps that inflate and scan input.
struct RecordReading {
    let folder: String
    let specs: String
    let meter: StepMeter

    func run() throws {
        try inflate()
        let plan = try StepPlan("import", in: specs).plan
        try scan("tasks.ndjson", plan)
        try scan("tasks.json", plan)
        try scan("tasks.csv", StepPlan("import-csv", in: specs).plan)
    }

    private func inflate() throws {
        let input = try InputFiles.expand(patterns: ["tasks.ndjson.gz"], baseFolder: folder)[0]
        let size = 1 << 18
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        defer { room.deallocate() }
        try meter.add("inflate", of: meter.records) {
            let source = try ByteSource(input, compression: .gzip)
            while try source.read(into: room, count: size) > 0 {}
        }
    }

    private func scan(_ name: String, _ plan: ImportPlan) throws {
        let input = try InputFiles.expand(patterns: [name], baseFolder: folder)[0]
        try meter.add("scan \(name.dropFirst("tasks".count))", of: meter.records) {
            let reader = try RecordReader(
                input: input, options: ReadOptions(), selection: plan.selection)
            let batch = RecordBatch()
            while try reader.next(batch) {}
            guard reader.recordsRead == meter.records else {
                throw StepError(text: "\(reader.recordsRead) records of \(name)")
            }
        }
    }
}
