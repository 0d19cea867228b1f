import Diagnostics
import YAML

/// The kinds of stages, in the order of messages and reports.
enum StageKinds {
    static let all: [any StageKind.Type] = [
        ImportSpec.self, UpdateSpec.self, DeleteSpec.self, ExportSpec.self, VerifySpec.self,
    ]
}

extension Stage {
    /// The allowed values of `stages`: a list of stages of any kind.
    static let form = Form<[Stage]>(
        .list(.either(StageKinds.all.map { kind in .mapping(kind.mapping) }))
    ) { value, reader in
        guard let items = value.list() else { return nil }
        if items.isEmpty { value.fail("stages", "A spec needs at least one stage") }
        var stages: [Stage] = []
        var firstLines: [String: Int] = [:]
        for item in items {
            guard let mapping = item.mapping(), let kind = kind(of: mapping) else { continue }
            let keys = KeyedMapping(source: mapping, reader: reader)
            let read = kind.read(keys)
            let isAlways = keys[StageKeys.always]
            mapping.finish(kind.mapping)
            var name = read.name
            if let explicit = read.explicitName {
                if let line = firstLines[name] {
                    reader.problems.report(
                        "spec.duplicate-name",
                        "The stage on line \(line) is named '\(name)' already",
                        at: .source(explicit))
                }
            } else {
                name = free(name, firstLines)
            }
            firstLines[name] = firstLines[name] ?? item.location.line
            guard let stageKind = read.kind else { continue }
            stages.append(
                Stage(
                    name: name, kind: stageKind, location: item.location, words: item.node.words,
                    isAlways: isAlways))
        }
        return stages
    }

    private static func free(_ name: String, _ lines: [String: Int]) -> String {
        guard lines[name] != nil else { return name }
        var number = 2
        while lines["\(name)-\(number)"] != nil { number += 1 }
        return "\(name)-\(number)"
    }

    private static func kind(of mapping: YAMLMapping) -> (any StageKind.Type)? {
        let words = StageKinds.all.map { $0.word }
        let found = StageKinds.all.filter { mapping.keys.contains($0.word) }
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            mapping.value.fail(
                "stage-kind",
                "A stage does one thing, not \(found.map { $0.word }.joined(separator: " and "))",
                fix: "make one stage of each")
            return nil
        }
        let hint =
            mapping.keys.lazy.compactMap { Suggestion.closest(to: $0, among: words) }.first
            .map { ". Did you mean '\($0)'?" } ?? ""
        mapping.value.fail(
            "stage-kind", "A stage begins with \(YAMLValue.listing(words))" + hint)
        return nil
    }
}
