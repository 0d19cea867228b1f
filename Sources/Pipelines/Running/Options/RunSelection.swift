import Diagnostics

/// The part of a spec to run: `--only`, `--from`, and `--limit`.
struct RunSelection {
    private let only: String?
    private let from: String?
    private let recordsMax: Int?
    private let replay: String?

    init(_ options: RunOptions) {
        only = options.only
        from = options.from
        recordsMax = options.recordsMax
        replay = options.replay?.folder
    }

    /// The selection as text; two selections have the same text only if they are equal.
    var identity: String {
        "only \(only ?? "-") from \(from ?? "-") limit \(recordsMax.map(String.init) ?? "-")"
            + (replay.map { " replay \($0)" } ?? "")
    }

    /// Returns the stages to run.
    ///
    /// - Throws: `RunFailure` with status 64 if the spec has no stage of a given name.
    func stages(of spec: PipelineSpec) throws(RunFailure) -> [Stage] {
        if let only { return [spec.stages[try place(of: only, in: spec, "--only")]] }
        guard let from else { return spec.stages }
        return Array(spec.stages[try place(of: from, in: spec, "--from")...])
    }

    private func place(
        of name: String, in spec: PipelineSpec, _ flag: String
    ) throws(RunFailure) -> Int {
        if let place = spec.stages.firstIndex(where: { $0.name == name }) { return place }
        let names = spec.stages.map(\.name)
        throw RunFailure(
            .usage, code: "usage.stage",
            "\(flag): \(spec.file) has no stage '\(name)'"
                + Suggestion.phrase(for: name, among: names),
            fix: "the stages are \(names.joined(separator: ", "))")
    }
}
