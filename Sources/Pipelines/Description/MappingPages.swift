/// The parts of pages about the keys of files.
enum MappingPages {
    /// Returns a section for each mapping.
    static func sections(_ mappings: [DescribedMapping]) -> String {
        mappings.map { mapping in
            let example = mapping.example.map { "\n```yaml\n\($0)\n```\n" } ?? ""
            let keys = mapping.hasTable ? "\n" + table(mapping) : ""
            return "## \(mapping.title)\n\n\(mapping.purpose)\n\(example)\(keys)"
        }.joined(separator: "\n")
    }

    /// Returns the table of a mapping's keys.
    static func table(_ mapping: DescribedMapping) -> String {
        var text = "| key | value | without it | meaning |\n|---|---|---|---|\n"
        for key in mapping.keys {
            var meaning = MarkdownText.cell(key.meaning)
            for word in key.form.words where mapping.explainsChoices {
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
    /// The effect of leaving out the key, for a table.
    var phrase: String {
        switch self {
        case .error: "an error"
        case .same(let value): "`\(value)`"
        case .means(let words): words
        case .nothing: ""
        }
    }
}
