import Diagnostics

/// A report in the text exposition format 0.0.4 of Prometheus
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// All metrics are gauges, because each run replaces the file.
struct MetricsText {
    private static let successName = "etl_run_last_success_timestamp_seconds"
    /// The seconds between 1970-01-01 and 2001-01-01, UTC.
    private static let unixOffset = 978_307_200.0

    private let report: RunReport
    private var lines: [String] = []

    /// Returns the text of a report.
    ///
    /// - Parameter earlier: The previous file; a failed run copies the time of the last success
    ///   from it.
    static func text(of report: RunReport, after earlier: String?) -> String {
        var text = MetricsText(report: report)
        text.write(after: earlier)
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(report: RunReport) {
        self.report = report
    }

    private mutating func write(after earlier: String?) {
        let ended = Self.unixSeconds(report.ended)
        metric("etl_run_exit_code", "How the last run ended.", [([], "\(report.exit.code)")])
        metric(
            "etl_run_start_timestamp_seconds", "When the last run began.",
            [([], Self.unixSeconds(report.started))])
        metric("etl_run_end_timestamp_seconds", "When it ended.", [([], ended)])
        let success =
            report.isSuccess ? ended : earlier.flatMap { Self.value(Self.successName, in: $0) }
        if let success {
            metric(
                Self.successName, "Time of the last run of the complete spec that exited with 0.",
                [([], success)]
            )
        }
        metric(
            "etl_run_duration_seconds", "How long it took.",
            [([], Self.number(report.secondsElapsed))])
        if let peak = report.memoryPeak {
            metric("etl_run_memory_peak_bytes", "The most memory it had.", [([], "\(peak)")])
        }
        metric(
            "etl_stage_duration_seconds", "How long a stage took.",
            report.stages.compactMap { stage in
                stage.secondsElapsed.map { ([("stage", stage.name)], Self.number($0)) }
            })
        metric(
            "etl_stage_records", "Records of an import by result.",
            report.stages.flatMap { stage -> [([(String, String)], String)] in
                guard let records = stage.records else { return [] }
                return ([("read", records.read)] + records.ends).map {
                    ([("stage", stage.name), ("outcome", $0.0)], "\($0.1)")
                }
            })
        metric(
            "etl_stage_rejects", "Rejected records by code.",
            report.stages.flatMap { stage in
                stage.rejects.map { ([("stage", stage.name), ("code", $0.code)], "\($0.count)") }
            })
        metric(
            "etl_stage_exported_rows", "Rows that an export wrote.",
            report.stages.compactMap { stage in
                stage.output.map { ([("stage", stage.name)], "\($0.rows)") }
            })
        metric(
            "etl_objects", "Objects that were changed.",
            report.objects.flatMap { count in
                [
                    ("inserted", count.inserted), ("updated", count.updated),
                    ("deleted", count.deleted),
                ].map { ([("entity", count.entity), ("change", $0.0)], "\($0.1)") }
            })
    }

    private mutating func metric(
        _ name: String, _ help: String, _ values: [([(String, String)], String)]
    ) {
        guard !values.isEmpty else { return }
        lines.append("# HELP \(name) \(help)")
        lines.append("# TYPE \(name) gauge")
        for (labels, value) in values {
            let all = ([("pipeline", report.pipeline)] + labels)
                .map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
            lines.append("\(name){\(all)} \(value)")
        }
    }

    private static func escaped(_ text: String) -> String {
        OutputText(text).text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }

    private static func number(_ value: Double) -> String {
        "\(value.inMilliseconds)"
    }

    private static func unixSeconds(_ iso: String) -> String {
        let seconds = (TimeText.date(iso, now: 0) ?? 0) + unixOffset
        // Without an exponent, which is valid but hard to read.
        let whole = seconds.rounded(.down)
        let milliseconds = Int(((seconds - whole) * 1000).rounded(.down))
        return "\(Int(whole)).\(String(milliseconds + 1000).dropFirst())"
    }

    private static func value(_ name: String, in text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + "{") }
        return line?.split(separator: " ").last.map(String.init)
    }
}
