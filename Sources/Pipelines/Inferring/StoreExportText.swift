import GraphModel
import YAML

/// Writes a spec that exports every entity of a store.
enum StoreExportText {
    static func spec(
        store path: String, model lines: [String], _ model: ManagedObjectModel
    ) -> String {
        var text = ["etl: 1", "name: export-all", "store:", "  at: \(InferenceText.file(path))"]
        text += lines.map { "  " + $0 } + ["stages:"]
        let concrete = model.entities.filter { !$0.isAbstract }
        for entity in concrete {
            let heirs = model.family(of: entity.name).filter { $0.name != entity.name }
            if !heirs.isEmpty {
                text.append("  # with those of \(heirs.map(\.name).joined(separator: ", "))")
            }
            text.append("  - export: \(YAMLWriter.scalar(entity.name))")
            text.append("    to: \(InferenceText.file("out/\(entity.name).ndjson"))")
        }
        return text.joined(separator: "\n") + "\n"
    }
}
