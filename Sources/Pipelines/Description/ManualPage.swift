/// The manual page of the command, `etl.1`, in the macros of man(7).
enum ManualPage {
    static func text(_ root: CommandDescription) -> String {
        var page = Page()
        page.macro("TH ETL 1 \"\" \"etl \(Release.version)\" \"User Commands\"")
        page.section("NAME")
        page.text("etl - imports, changes, and exports the objects of a Core Data store")
        page.section("SYNOPSIS")
        page.bold(root.usage)
        page.section("DESCRIPTION")
        page.text(root.abstract ?? "")
        page.paragraphs(root)
        page.section("COMMANDS")
        for command in root.commands {
            page.command(command)
            for part in command.commands { page.command(part) }
        }
        page.section("EXIT STATUS")
        for explanation in Explanation.exits {
            page.term(explanation.title, "\(explanation.meaning) \(explanation.fix)")
        }
        page.section("ENVIRONMENT")
        for (name, meaning) in environment { page.term(name, meaning) }
        page.section("FILES")
        for (name, meaning) in files { page.term(name, meaning) }
        page.section("EXAMPLES")
        for (meaning, command) in examples {
            page.macro("PP")
            page.text(meaning)
            page.example(command)
        }
        page.section("SEE ALSO")
        page.text("sqlite3(1), crontab(5)")
        return page.lines.joined(separator: "\n") + "\n"
    }

    private static let environment = [
        ("NO_COLOR", "If it is not empty, etl prints no colors on a terminal."),
        ("COLUMNS", "The width of tables on a terminal. Default: the width of the terminal."),
        ("TERM", "If it is dumb, etl prints neither colors nor a progress bar."),
    ]

    private static let files = [
        (
            "STORE.etl-lock",
            "Next to a store: the process that uses it. Leave the file in place; it is not a lock by itself."
        ),
        (
            "STORE.etl-new, STORE.etl-work",
            "Next to a store: the new store of a run with open: replace or commit: run, until the run finishes."
        ),
        ("./rejects", "Rejected records and their reasons, next to the spec; see rejects.dir."),
        ("./runs", "Reports of runs, next to the spec; see report.to."),
    ]

    private static let examples = [
        (
            "Import every night, and stop by six (crontab):",
            "0 3 * * * etl run /srv/tasks/nightly.yaml --timeout 3h"
        ),
        (
            "Show what a spec would change, without changing it:",
            "etl plan nightly.yaml"
        ),
        (
            "Show the most urgent tasks of a store:",
            "etl fetch tasks.sqlite Task --sort 'priority desc' --limit 10"
        ),
    ]

    /// The lines of a page.
    private struct Page {
        var lines: [String] = []

        mutating func macro(_ text: String) { lines.append(".\(text)") }

        mutating func section(_ title: String) { macro("SH \(title)") }

        mutating func text(_ text: String) {
            lines += text.split(separator: "\n").map { Self.escaped($0) }
        }

        mutating func bold(_ text: String) {
            macro("B \(Self.escaped(text[...]))")
        }

        mutating func term(_ term: String, _ meaning: String) {
            macro("TP")
            bold(term)
            text(meaning)
        }

        mutating func example(_ text: String) {
            lines += [".PP", ".RS 4", ".nf"]
            self.text(text)
            lines += [".fi", ".RE"]
        }

        mutating func paragraphs(_ command: CommandDescription) {
            for paragraph in command.paragraphs {
                guard !paragraph.isExample else {
                    example(paragraph.text)
                    continue
                }
                if !paragraph.text.hasPrefix("- ") { macro("PP") }
                for line in paragraph.text.split(separator: "\n") {
                    if line.hasPrefix("- ") {
                        macro(#"IP \(bu 2"#)
                        text(String(line.dropFirst(2)))
                    } else {
                        text(String(line))
                    }
                }
            }
        }

        mutating func command(_ command: CommandDescription) {
            macro("SS \"\(Self.escaped(command.usage[...]))\"")
            text(command.abstract ?? "")
            paragraphs(command)
            for argument in command.positionals + command.flags {
                term(argument.term, argument.meaning)
            }
        }

        /// Escapes text so that roff neither interprets it as a request nor changes its hyphens.
        static func escaped(_ text: Substring) -> String {
            let escaped = String(text).replacing(#"\"#, with: #"\e"#).replacing("-", with: #"\-"#)
                .replacing("…", with: #"\[u2026]"#).replacing("`", with: #"\[ga]"#)
                .replacing("^", with: #"\[ha]"#).replacing("~", with: #"\[ti]"#)
                .replacing("\"", with: #"\[dq]"#)
            return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? #"\&"# + escaped : escaped
        }
    }
}
