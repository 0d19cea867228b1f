import FoundationEssentials
import Pipelines

/// Complete jobs, run as the command runs them.
struct JobSteps {
    let folder: String
    let specs: String
    let meter: StepMeter

    func run() throws {
        try job("import", data: "tasks.ndjson.gz")
        try job("import, again", "import", data: "tasks.ndjson.gz")
        for export in ["ndjson", "csv", "gzip"] { try job("export \(export)", "export-\(export)") }
        try job("update")
        try job("delete")
    }

    private func job(_ step: String, _ spec: String? = nil, data: String? = nil) throws {
        var sets = ["store=\(folder)/jobs.sqlite"]
        if let data { sets.append("data=\(folder)/\(data)") }
        if step.hasPrefix("export") { sets.append("out=\(folder)/out") }
        let options = RunOptions(sets: sets, environment: [:], workingFolder: folder, now: Date())
        let outcome = meter.add(step, of: meter.records) {
            PipelineRunner(options: options).run("\(specs)/\(spec ?? step).yaml")
        }
        guard outcome.status == .ok else { throw StepError(text: "\(outcome.diagnostics)") }
    }
}
