/// The pages of the reference: `docs/reference` of the repository, and the manual page.
package enum ReferencePages {
    /// A file of the reference.
    package struct File: Sendable, Hashable {
        /// The name in `docs/reference`, such as `etl-run.md`.
        package var name: String
        /// The complete content: Markdown, or the source of the manual page in `etl.1`.
        package var text: String
    }

    /// Returns all files, by name.
    ///
    /// - Parameter root: The root command.
    package static func files(_ root: CommandDescription) -> [File] {
        var files = [
            File(name: "spec.md", text: SpecificationPages.settings()),
            File(name: "model.md", text: ModelPages.text()),
            File(name: "predicates.md", text: PredicatePages.text()),
            File(name: "exit-codes.md", text: CodePages.exits),
            File(name: "error-codes.md", text: CodePages.errors),
            File(name: "etl.1", text: ManualPage.text(root)),
        ]
        files += DescribedMapping.stages.map {
            File(name: $0.address, text: SpecificationPages.stage($0))
        }
        files += root.commands.map {
            File(name: "etl-\($0.commandName).md", text: CommandPages.page($0))
        }
        files = files.map { file in
            guard file.name.hasSuffix(".md") else { return file }
            return File(name: file.name, text: "\(mark)\n\n\(file.text)")
        }
        files.append(File(name: "README.md", text: "\(mark)\n\n\(index(root))"))
        return files.sorted { $0.name < $1.name }
    }

    /// The comment at the top of each page that keeps contributors from editing it.
    private static let mark = "<!-- Written by `etl reference --output docs/reference`. -->"

    private static func index(_ root: CommandDescription) -> String {
        var text = """
            # Reference

            | page | is about |
            |---|---|
            | [spec](spec.md) | the keys of a spec, except those of its stages |

            """
        for stage in DescribedMapping.stages {
            // Text after a blank line would end the table.
            let purpose = stage.purpose.split(separator: "\n\n").first ?? ""
            text += "| [\(stage.title)](\(stage.address)) | \(purpose) |\n"
        }
        text += """
            | [model](model.md) | the keys of a model file |
            | [predicates and expressions](predicates.md) | the operators and functions of `where`, `keep-if`, `expr`, and `set` |
            | [exit codes](exit-codes.md) | the meaning of each exit status |
            | [error codes](error-codes.md) | the meaning of the code after each message |
            | [etl.1](etl.1) | the manual page: `man -l docs/reference/etl.1` |

            | command | does |
            |---|---|

            """
        for command in root.commands {
            text += "| [`\(command.name)`](etl-\(command.commandName).md) "
            text += "| \(MarkdownText.cell(command.abstract ?? "")) |\n"
        }
        return text
    }
}

/// The pages of exit codes and error codes.
enum CodePages {
    static var exits: String {
        var text = """
            # Exit codes

            etl uses the codes of sysexits.h. Cron jobs and scripts can rely on them.

            | code | meaning | what to do |
            |---|---|---|

            """
        for row in Explanation.exits { text += self.row(row) }
        return text
    }

    static var errors: String {
        var text = """
            # Error codes

            The code is in brackets after a message, and in `.why.ndjson` next to a rejected \
            record; `etl explain CODE` prints the same text. `byte`, `line`, and `column` refer to \
            the text in UTF-8, even if the input has another encoding.

            ## Rejected records

            | code | meaning | what to do |
            |---|---|---|

            """
        for row in Explanation.rejects { text += self.row(row) }
        text += "\n## Messages\n\n| code | meaning | what to do |\n|---|---|---|\n"
        let usage = Explanation.exits.filter { !Explanation.faults(of: $0).isEmpty }
        for family in Explanation.families + usage {
            text += row(family)
            for fault in Explanation.faults(of: family) { text += row(fault) }
        }
        return text
    }

    private static func row(_ explanation: Explanation) -> String {
        let cells = [explanation.meaning, explanation.fix].map(MarkdownText.cell)
        return "| `\(explanation.title)` | \(cells.joined(separator: " | ")) |\n"
    }
}
