import Diagnostics
import YAML

/// Where the reports of runs go: `report`.
extension SpecificationReader {
    private static let keepMax: Int64 = 100_000

    func readReport(_ value: YAMLValue?, _ place: SourceLocation) -> ReportSpec {
        var report = ReportSpec(folder: TemplateText(literal: "./runs", at: place))
        guard let mapping = value?.mapping() else { return report }
        if let folder = mapping.optional("to").flatMap(template) {
            report.folder = folder
            report.isFolderNamed = true
        }
        if let keep = mapping.optional("keep")?.integer(in: 1...Self.keepMax) {
            report.keep = Int(keep)
        }
        report.metrics = mapping.optional("metrics").flatMap(template)
        mapping.finish(.report)
        return report
    }
}
