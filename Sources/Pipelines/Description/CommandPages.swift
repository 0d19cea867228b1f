/// The reference pages of commands, in Markdown.
enum CommandPages {
    /// Returns a page for a command and its subcommands.
    static func page(_ command: CommandDescription) -> String {
        var text = "# \(command.name)\n\n" + body(command)
        for part in command.commands { text += "\n## \(part.name)\n\n" + body(part) }
        return text
    }

    private static func body(_ command: CommandDescription) -> String {
        var text = "\(command.abstract ?? "")\n\n```sh\n\(command.usage)\n```\n"
        for paragraph in command.paragraphs {
            text +=
                paragraph.isExample ? "\n```sh\n\(paragraph.text)\n```\n" : "\n\(paragraph.text)\n"
        }
        let rows = command.positionals + command.flags
        guard !rows.isEmpty else { return text }
        text += "\n| argument | meaning |\n|---|---|\n"
        for row in rows {
            text += "| `\(row.term)` | \(MarkdownText.cell(row.meaning)) |\n"
        }
        return text
    }
}
