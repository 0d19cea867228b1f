import Diagnostics
import GraphModel
import RecordStreams
import YAML

/// The stages: which kind each is, and what update, delete and export say.
extension SpecificationReader {
    func readStages(_ value: YAMLValue?) -> [Stage] {
        guard let items = value?.list() else { return [] }
        if items.isEmpty { value?.fail("stages", "A spec needs at least one stage") }
        var stages: [Stage] = []
        var firstLines: [String: Int] = [:]
        for item in items {
            guard let mapping = item.mapping(), let kind = kind(of: mapping) else { continue }
            let read = readStage(kind, mapping)
            var name = read.name
            if let explicit = read.explicitName {
                if let line = firstLines[name] {
                    problems.report(
                        "spec.duplicate-name",
                        "The stage on line \(line) is named '\(name)' already",
                        at: .source(explicit))
                }
            } else {
                name = Self.free(name, firstLines)
            }
            firstLines[name] = firstLines[name] ?? item.location.line
            guard let stageKind = read.kind else { continue }
            stages.append(
                Stage(
                    name: name, kind: stageKind, location: item.location, words: item.node.words,
                    isAlways: read.isAlways))
        }
        return stages
    }

    /// A stage as read: its kind is nil where a part that it needs cannot be read.
    struct ReadStage {
        var name: String
        /// Where the name stands, when the spec gives one.
        var explicitName: SourceLocation?
        var kind: StageKind?
        var isAlways = false
    }

    private static func free(_ name: String, _ lines: [String: Int]) -> String {
        guard lines[name] != nil else { return name }
        var number = 2
        while lines["\(name)-\(number)"] != nil { number += 1 }
        return "\(name)-\(number)"
    }

    private func kind(of mapping: YAMLMapping) -> SpecificationMapping? {
        let kinds = SpecificationMapping.stages.map(\.rawValue)
        let found = SpecificationMapping.stages.filter { mapping.keys.contains($0.rawValue) }
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            mapping.value.fail(
                "stage-kind",
                "A stage does one thing, not \(found.map(\.rawValue).joined(separator: " and "))",
                fix: "make one stage of each")
            return nil
        }
        let hint =
            mapping.keys.lazy.compactMap { Suggestion.closest(to: $0, among: kinds) }.first
            .map { ". Did you mean '\($0)'?" } ?? ""
        mapping.value.fail(
            "stage-kind", "A stage begins with \(YAMLValue.listing(kinds))" + hint)
        return nil
    }

    private func readStage(_ kind: SpecificationMapping, _ mapping: YAMLMapping) -> ReadStage {
        var stage =
            switch kind {
            case .import: readImport(mapping)
            case .update: readUpdate(mapping)
            case .delete: readDelete(mapping)
            case .export: readExport(mapping)
            default: readVerify(mapping)
            }
        stage.isAlways = mapping.optional("always")?.boolean() ?? false
        mapping.finish(kind)
        return stage
    }

    /// A stage's own name; it also names files, hence the characters.
    func stageName(_ value: YAMLValue) -> String? {
        guard let name = value.filledText() else { return nil }
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "._-".contains(Character($0)))
        }
        if !isPlain || name.utf8.count > 64 || PathText.isHidden(name) {
            value.fail(
                "name", "'\(name)' is no stage name",
                fix: "use 1 to 64 letters, digits, hyphens, underscores and dots")
        }
        return name
    }

    /// `delete: Task`, or `delete: old-done` beside `entity: Task`.
    ///
    /// A part that cannot be read is empty, so that the rest of the stage is looked at.
    func nameAndEntity(
        _ kind: String, _ mapping: YAMLMapping
    ) -> (stage: ReadStage, entity: PlacedText) {
        let value = mapping.required(kind)
        if let entity = mapping.optional("entity") {
            return (namedStage(kind, value), placed(entity) ?? Self.unread(entity.location))
        }
        let entity = value.flatMap(placed) ?? Self.unread(mapping.location)
        return (ReadStage(name: "\(kind)-\(Self.slug(entity.text))"), entity)
    }

    func namedStage(_ kind: String, _ value: YAMLValue?) -> ReadStage {
        guard let value, let name = stageName(value) else { return ReadStage(name: kind) }
        return ReadStage(name: name, explicitName: value.location)
    }

    /// A name that cannot be read, which is reported.
    static func unread(_ place: SourceLocation) -> PlacedText { PlacedText("", place) }

    private func readUpdate(_ mapping: YAMLMapping) -> ReadStage {
        var stage = namedStage("update", mapping.required("update"))
        let entity = mapping.required("entity").flatMap(placed)
        let selection = requiredSelection(mapping)
        let set = mapping.required("set")?.mapping()?.all()
        if let set, set.isEmpty { mapping.value.fail("set", "'set' names no attribute") }
        let assignments = (set ?? []).map { entry in
            UpdateSpec.Assignment(
                attribute: PlacedText(entry.key, entry.keyLocation),
                value: newValue(entry.value) ?? .unreadable, location: entry.value.location)
        }
        let atMost = mapping.optional("at-most").flatMap(limit)
        let (limit, isCompacting, rules) = readExtent(mapping)
        stage.kind = .update(
            UpdateSpec(
                entity: entity ?? Self.unread(mapping.location), selection: selection,
                set: assignments, atMost: atMost, limit: limit, isCompacting: isCompacting,
                rules: rules))
        return stage
    }

    private func newValue(_ value: YAMLValue) -> UpdateSpec.NewValue? {
        guard let scalar = value.scalar else {
            let mapping = value.isMapping ? value.mapping() : nil
            return value.wrong(
                "an expression or a constant",
                fix: mapping.flatMap(Self.elementFix)
                    ?? "write the expression itself: \"priority + 1\"")
        }
        guard scalar.value == .text else { return constant(value).map { .constant($0) } }
        return expressionText(value).map {
            .expression(ExpressionText(text: $0, location: value.location))
        }
    }

    private func readDelete(_ mapping: YAMLMapping) -> ReadStage {
        let named = nameAndEntity("delete", mapping)
        var stage = named.stage
        let selection = requiredSelection(mapping)
        let atMost = mapping.optional("at-most").flatMap(limit)
        let (limit, isCompacting, rules) = readExtent(mapping)
        stage.kind = .delete(
            DeleteSpec(
                entity: named.entity, selection: selection, atMost: atMost, limit: limit,
                isCompacting: isCompacting, rules: rules))
        return stage
    }

    /// How many objects a change takes, whether it tidies up, and whether rules hold.
    private func readExtent(
        _ mapping: YAMLMapping
    ) -> (limit: TemplateText?, isCompacting: Bool, rules: ChangeRules) {
        (
            mapping.optional("limit").flatMap {
                count($0, in: ChangeLimit.bounds, of: "objects", parameter: "most")
            },
            mapping.optional("compact")?.boolean() ?? false,
            mapping.optional("rules")?.choice(ChangeRules.self) ?? .enforce
        )
    }

    /// All objects, where the key is missing or cannot be read, which is reported.
    private func requiredSelection(_ mapping: YAMLMapping) -> Selection {
        mapping.required("where", fix: "write `where: ALL` if you mean every object")
            .map(selection) ?? .all
    }

    func selection(_ value: YAMLValue) -> Selection {
        guard let text = expressionText(value), text != "ALL" else { return .all }
        if text.uppercased() == "ALL" {
            value.fail("choice", "'\(text)' is no predicate", fix: "write `ALL` for every object")
            return .all
        }
        return .matching(PredicateText(text: text, location: value.location))
    }

    /// Text in the store's language, where parameters are values and never text.
    func expressionText(_ value: YAMLValue) -> String? {
        guard let text = value.filledText() else { return nil }
        noteVariables(in: text)
        // By scalars: a combining mark may come after a brace.
        let scalars = text.unicodeScalars
        guard let start = scalars.firstRange(of: "${".unicodeScalars) else { return text }
        let rest = scalars[start.upperBound...]
        let name = rest.firstIndex(of: "}").map { String(rest[..<$0]) }
        value.fail(
            "template-in-predicate",
            "'${\(name.map { $0 + "}" } ?? "")' would put text into '\(value.label)'; "
                + "a parameter is a value there",
            fix: "write $\(name ?? "name"), without quotes")
        return nil
    }
}
