/// The keys of `report`.
enum ReportKeys {
    static let folder = Key(
        "to", .path, without: "`./runs`, if that is writable",
        "The folder of the reports: JSON and a page for each run, including failed ones.",
        example: "../runs")
    static let keep = Key(
        "keep", .integer(1...100_000), default: 60,
        "Number of runs to keep. The last complete run that exited with 0 is also kept.",
        example: "10")
    static let metrics = Key(
        "metrics", .path, "A text file for Prometheus, which each run rewrites.",
        example: "/var/lib/node_exporter/tasks.prom")
    static let mapping = DescribedMapping(
        "report",
        """
        Each run writes a report in JSON and as a page. `index.html` in the folder lists the runs.
        """, keys: [folder, keep, metrics])
}

/// The settings of reports.
package struct ReportSpec: Sendable, Hashable {
    /// The folder of the reports.
    package var folder = TemplateText(literal: "./runs")
    /// Whether the spec sets the folder, so that reports must be written there.
    package var isFolderNamed = false
    /// The number of runs whose reports are kept.
    package var keep = ReportKeys.keep.default
    /// A text file for Prometheus.
    package var metrics: TemplateText?
}

extension ReportSpec {
    /// Reads `report`.
    init(_ keys: KeyedMapping) {
        if let folder = keys[ReportKeys.folder] {
            self.folder = folder
            isFolderNamed = true
        }
        keep = keys[ReportKeys.keep]
        metrics = keys[ReportKeys.metrics]
    }
}
