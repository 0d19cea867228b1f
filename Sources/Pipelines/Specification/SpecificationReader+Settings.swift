import Diagnostics
import GraphModel
import GraphStore
import YAML

/// The keys beside the stages.
extension SpecificationReader {
    private static let reservedParameters = ["now", "today", "run"]

    func readParameters(_ value: YAMLValue?) -> [ParameterSpec] {
        (value?.mapping()?.all() ?? []).compactMap { entry in
            readParameter(entry.key, entry.keyLocation, entry.value)
        }
    }

    /// A parameter of unknown type counts as a string, so that its name is known.
    private func readParameter(
        _ name: String, _ place: SourceLocation, _ value: YAMLValue
    ) -> ParameterSpec? {
        checkParameterName(name, place)
        guard value.isMapping, let mapping = value.mapping() else {
            value.fail(
                "type", "'\(value.label)' must be a mapping, not \(value.kind)",
                fix: "write `{ type: string }`")
            return ParameterSpec(name: name, kind: .string, location: place)
        }
        let kind = mapping.required("type")?.choice(ParameterSpec.Kind.self)
        var parameter = ParameterSpec(name: name, kind: kind ?? .string, location: place)
        if let found = mapping.optional("default") {
            if kind == .list {
                parameter.defaultList = found.listOrOne()?.compactMap { $0.scalarText() }
            } else {
                parameter.defaultText = kind.flatMap { readDefault(found, $0) }
            }
        }
        for source in mapping.optional("from")?.listOrOne() ?? [] {
            guard let text = source.filledText() else { continue }
            if text.hasPrefix("file:"), text.count > 5 {
                parameter.sources.append(.file(String(text.dropFirst(5))))
            } else if text.hasPrefix("env:"), text.count > 4 {
                parameter.sources.append(.environment(String(text.dropFirst(4))))
            } else {
                source.fail("source", "'\(text)' must begin with file: or env:")
            }
        }
        mapping.finish(.parameter)
        return parameter
    }

    private func checkParameterName(_ name: String, _ place: SourceLocation) {
        let isIdentifier = name.unicodeScalars.enumerated().allSatisfy { index, scalar in
            scalar == "_" || (scalar.isASCII && scalar.properties.isAlphabetic)
                || (index > 0 && ("0"..."9").contains(scalar))
        }
        if !isIdentifier || name.isEmpty {
            problems.report(
                "spec.name", "'\(name)' is no parameter name", at: .source(place),
                fix: "begin with a letter or underscore; then letters, digits and underscores")
        } else if Self.reservedParameters.contains(name) {
            problems.report(
                "spec.name", "'\(name)' has a meaning of its own and cannot be a parameter",
                at: .source(place))
        }
    }

    private func readDefault(_ value: YAMLValue, _ kind: ParameterSpec.Kind) -> String? {
        guard kind != .secret else {
            value.fail(
                "secret", "A secret must not be in the spec",
                fix: "name where it is kept: `from: [\"env:NAME\"]`")
            return nil
        }
        guard let text = value.scalarText() else { return nil }
        guard ParameterValues.convert(text, kind, now: 0) != nil else {
            return value.wrong(kind.example)
        }
        return text
    }

    func readStore(_ value: YAMLValue) -> StoreSpec? {
        guard let mapping = value.mapping() else { return nil }
        let at = mapping.required("at").flatMap(template)
        let (open, original) = mapping.optional("open").map(readOpen) ?? (nil, nil)
        let model = mapping.optional("model")
        if let open, open != .existing, original == nil, model == nil {
            mapping.miss(
                "model", "The key 'model' is missing: `open: \(open.rawValue)` makes a store",
                fix: "add `model:` with a model file")
        }
        let commit = mapping.optional("commit")
        let commitMode = commit?.choice(StoreSpec.CommitMode.self)
        if open == .replace, let commit, commitMode != .run {
            commit.fail(
                "rule", "`open: replace` puts the new store in place as a whole, at the end",
                fix: "leave `commit` out")
        }
        let history = mapping.optional("history").flatMap(readHistory)
        let author = mapping.optional("author").flatMap(template)
        let hasViews = mapping.optional("views")?.boolean()
        let keepsExactDecimals = mapping.optional("exact-decimals")?.boolean()
        let backupsKept = mapping.optional("backups").flatMap(readBackups)
        mapping.finish(.store)
        let source = model.flatMap(readModel)
        let noFile = TemplateText(literal: "", at: value.location)
        return StoreSpec(
            at: at ?? noFile, model: source, open: open ?? .existing,
            commit: commitMode ?? .batch, history: history, author: author,
            template: original, keepsExactDecimals: keepsExactDecimals, hasViews: hasViews,
            backupsKept: backupsKept ?? StoreBackups.keepDefault, location: value.location)
    }

    private func readBackups(_ value: YAMLValue) -> Int? {
        guard let mapping = value.mapping() else { return nil }
        let keep = mapping.required("keep", fix: "set a number, such as `keep: 3`")
        mapping.finish(.backups)
        return keep?.integer(in: 1...1_000_000).map { Int($0) }
    }

    /// `create`, or `{ template: empty.sqlite }`, which makes a missing store as a copy.
    private func readOpen(
        _ value: YAMLValue
    ) -> (mode: StoreSpec.OpenMode?, template: TemplateText?) {
        guard value.isMapping, let mapping = value.mapping() else {
            return (value.choice(StoreSpec.OpenMode.self), nil)
        }
        let file = mapping.required("template", fix: "name the store to be copied")
        mapping.finish(.template)
        return (.create, file.flatMap { template($0) })
    }

    /// `off`, or for how many days a store keeps what changed in it.
    private func readHistory(_ value: YAMLValue) -> StoreSpec.History? {
        guard value.isMapping, let mapping = value.mapping() else {
            guard value.scalar?.text != "off" else { return .off }
            return value.wrong("off, or a mapping such as { keep: 7d }")
        }
        let keep = mapping.required("keep", fix: "say how long, such as `keep: 7d`")
        mapping.finish(.history)
        guard let keep, let seconds = duration(keep) else { return nil }
        guard seconds % 86_400 == 0 else { return keep.wrong("a number of whole days such as 7d") }
        return .days(Int(seconds / 86_400))
    }

    private func readModel(_ value: YAMLValue) -> StoreSpec.ModelSource? {
        guard value.isMapping else {
            return template(value).map { .file($0) }
        }
        var reading = ModelFile.reading(
            node: value.node, file: problems.file, keyPath: value.location.keyPath)
        reading.diagnostics.forEach(problems.report)
        reading.diagnostics = []
        return .inline(reading)
    }

    func readBudget(_ value: YAMLValue?) -> BudgetSpec {
        var budget = BudgetSpec()
        guard let mapping = value?.mapping() else { return budget }
        if let number = mapping.optional("save-every")?.integer(in: 1...1_000_000_000) {
            budget.saveEvery = Int(number)
        }
        if let bytes = mapping.optional("bytes").flatMap(byteCount) { budget.bytes = bytes }
        budget.timeSeconds = mapping.optional("time").flatMap(duration)
        if let memory = mapping.optional("memory"), let bytes = byteCount(memory) {
            budget.memory = bytes
            if bytes < BudgetSpec.memoryMin {
                memory.fail(
                    "range", "'memory' must be at least 32MiB, which a load cannot do without",
                    fix: "raise it, or leave it out for 256MiB")
            }
        }
        mapping.finish(.budget)
        return budget
    }

    /// `8MiB`, `512KiB`, `1GiB`, or a number of bytes.
    private func byteCount(_ value: YAMLValue) -> Int? {
        let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        guard let text = value.scalarText() else { return nil }
        let unit = units.first { text.hasSuffix($0.0) }
        let digits = unit.map { text.dropLast($0.0.count) } ?? text[...]
        let (bytes, isTooLarge) = (Int(digits) ?? 0).multipliedReportingOverflow(by: unit?.1 ?? 1)
        guard bytes > 0, !isTooLarge else { return value.wrong("a size such as 8MiB") }
        return bytes
    }

    /// `30m`, `1h30m`, `7d`, in seconds.
    private func duration(_ value: YAMLValue) -> Int64? {
        guard let text = value.scalarText() else { return nil }
        guard let seconds = TimeText.duration(text), seconds > 0 else {
            return value.wrong("a duration such as 30m or 7d")
        }
        return seconds
    }

    func readRejects(_ value: YAMLValue?, _ place: SourceLocation) -> RejectsSpec {
        var rejects = RejectsSpec(folder: TemplateText(literal: "./rejects", at: place))
        guard let mapping = value?.mapping() else { return rejects }
        if let folder = mapping.optional("dir").flatMap(template) { rejects.folder = folder }
        if let allow = mapping.optional("allow").flatMap(limit) { rejects.allow = allow }
        if let abort = mapping.optional("abort").flatMap(limit) { rejects.abort = abort }
        if let keep = mapping.optional("keep").flatMap(duration) { rejects.keepSeconds = keep }
        mapping.finish(.rejects)
        return rejects
    }
}
