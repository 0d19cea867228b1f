/// The reference pages of specs: the keys beside the stages, and a page for each kind of stage.
enum SpecificationPages {
    /// The settings, with the mappings in them.
    static func settings() -> String {
        """
        # Keys of a spec

        A spec is one YAML 1.2 file. A key that is not listed is an error, and so is a duplicate \
        one. Relative paths begin at the spec's folder. `${NAME}` in a text is a parameter, or one \
        of `run.date`, `run.time` and `run.id`; `$${` stands for the two characters `${`. In \
        predicates and expressions `$NAME` is the parameter's value, and there are `$now` and \
        `$today`.


        """
            + sections([
                .spec, .parameter, .store, .template, .history, .budget, .rejects, .report, .test,
                .then,
            ])
    }

    /// A stage, with the mappings in it.
    static func stage(_ stage: SpecificationMapping) -> String {
        let parts: [SpecificationMapping] =
            stage == .import
            ? [.read, .generate, .field, .number, .link, .keyField, .nested, .mirror, .on] : []
        var text = "# \(stage.rawValue)\n\n\(stage.purpose)\n"
        if let example = stage.example { text += "\n```yaml\nstages:\n\(example)\n```\n" }
        text += "\n" + table(stage)
        if !parts.isEmpty { text += "\n" + sections(parts) }
        if stage == .import { text += "\n" + CastTable.text }
        return text
    }

    private static func sections(_ mappings: [SpecificationMapping]) -> String {
        mappings.map { mapping in
            let example = mapping.example.map { "\n```yaml\n\($0)\n```\n" } ?? ""
            let keys = mapping == .keyField ? "" : "\n" + table(mapping)
            return "## \(mapping.title)\n\n\(mapping.purpose)\n\(example)\(keys)"
        }.joined(separator: "\n")
    }

    private static func table(_ mapping: SpecificationMapping) -> String {
        var text = "| key | value | without it | meaning |\n|---|---|---|---|\n"
        for key in mapping.keys {
            var meaning = MarkdownText.cell(key.meaning)
            for word in key.form.words where mapping != .on {
                meaning += "<br>`\(word.text)`: \(MarkdownText.cell(word.meaning))"
            }
            let example = MarkdownText.cell("\(key.name): \(key.example)")
            text += "| `\(key.name)` | \(MarkdownText.cell(key.form.phrase)) "
            text += "| \(MarkdownText.cell(key.absence.phrase)) | \(meaning)<br>`\(example)` |\n"
        }
        if let others = mapping.others {
            text += "| `\(others.placeholder)` | \(MarkdownText.cell(others.form.phrase)) | "
            text += "| Under a name of yours. |\n"
        }
        return text
    }
}

extension KeyDescription.Absence {
    /// What it means that a key is not there, for a table.
    var phrase: String {
        switch self {
        case .error: "an error"
        case .same(let value): "`\(value)`"
        case .means(let words): words
        case .nothing: ""
        }
    }
}
