import Diagnostics

/// The meaning and the fix of a code, as `etl explain CODE` prints them.
package struct Explanation: Sendable, Hashable {
    /// The title, such as `65 DATAERR` or `reject cast`.
    package var title: String
    /// The names of the code on the command line, in lower case.
    package var names: [String]
    /// The meaning of the code, in one or two sentences.
    package var meaning: String
    /// The fix in the imperative, or a sentence such as `No action needed.`.
    package var fix: String

    /// The explanation in three lines.
    package var text: String { "\(title)\n  \(meaning)\n  → \(fix)\n" }

    /// Exit statuses, results of records, rejects, and message areas.
    ///
    /// An area is the part of a code before the dot, and includes its faults.
    package static let all = exits + results + rejects + families

    /// All explanations by kind, one line each.
    package static var overview: String {
        let groups = [
            ("Exit statuses", exits), ("Results of records", results), ("Rejects", rejects),
            ("Areas of messages", families),
        ]
        let blocks = groups.map { title, group in
            let width = group.map(\.shortTitle.count).max() ?? 0
            let lines = group.map { explanation in
                let title = explanation.shortTitle
                let gap = String(repeating: " ", count: width - title.count + 2)
                return "  \(title)\(gap)\(explanation.meaning)\n"
            }
            return "\(title)\n" + lines.joined()
        }
        return blocks.joined(separator: "\n") + "\n`etl explain CODE` prints the fix.\n"
    }

    /// The code without its kind.
    private var shortTitle: String {
        title.hasPrefix("reject ") ? String(title.dropFirst("reject ".count)) : title
    }

    /// Returns the explanations of a code.
    ///
    /// A fault comes with the reject under which it is printed; an area or a reject comes with its
    /// faults.
    ///
    /// - Throws: `RunFailure` with status 64 if the code is unknown.
    package static func of(_ code: String) throws(RunFailure) -> [Explanation] {
        let name = code.lowercased()
        if let found = all.first(where: { $0.names.contains(name) }) {
            let own = details[name] ?? []
            return [found] + faults(of: found) + faults.filter { own.contains($0.title) }
        }
        let reject = details.first { $0.value.contains(name) }?.key
        let family = name.contains(".") ? String(name.prefix { $0 != "." }) : name
        let found =
            faults.filter { $0.title == name }
            + rejects.filter { $0.names.contains(reject ?? "") }
        if !found.isEmpty { return found }
        // A code without its own explanation: explain its area.
        if let found = families.first(where: { $0.names.contains(family) }) { return [found] }
        let names = (all + faults).flatMap(\.names)
        throw RunFailure(
            .usage, code: "usage.code",
            "No code is named '\(code)'" + Suggestion.phrase(for: name, among: names),
            fix: "`etl explain` lists all codes")
    }

    static let exits: [Explanation] =
        (ExitStatus.allCases.map { status in
            Explanation(
                title: "\(status.rawValue) \(status.name)",
                names: ["\(status.rawValue)", status.name.lowercased()], meaning: status.meaning,
                fix: status.fix)
        } + [
            Explanation(
                title: "2", names: ["2"],
                meaning: "`etl plan --detailed-exit`: the store would change.",
                fix: "Review the printed changes, and run the spec.")
        ]).sorted { (Int($0.names[0]) ?? 0) < (Int($1.names[0]) ?? 0) }

    /// The words for the record counts in the line of an import and in reports.
    static let results: [Explanation] = [
        .init("inserted", "The record has created an object.", "No action needed."),
        .init("updated", "The record has changed an object.", "No action needed."),
        .init("unchanged", "The object already has the record's values.", "No action needed."),
        .init(
            "skipped", "An object with the key exists, and `when-found` is `skip`.",
            "To overwrite objects, set `when-found` to update or replace."),
        .init(
            "filtered", "The record does not meet the `filter` of its import.",
            "Correct `filter` if it drops too many records."),
        .init(
            "superseded",
            "Another record of the same import has the same key and was used instead.",
            "Set `duplicates` to first to keep the first one, or to reject to list them."),
        .init(
            "linked",
            "The link of the record is in the store; the import only adds links, as of a join table.",
            "No action needed."),
        .init(
            "rejected",
            "The record was not imported. The reject folder has the record and the reason.",
            "See `etl explain CODE` for the reason, correct the record, and run `etl replay`."),
        .init(
            "replayed", "The record was rejected, then imported by a replay.", "No action needed."),
        .init(
            "discarded", "The changes of the record were undone because its run failed.",
            "Correct the cause, and run again."),
        .init(
            "waiting", "The record was read but is not written yet.",
            "Run again; the next run writes it."),
    ]

    /// The reasons for which a record can be rejected.
    static let rejectCodes = rejectTexts.map(\.title).filter { $0 != "duplicate-key" }

    static let rejects = rejectTexts.map { reject in
        var explanation = reject
        explanation.title = "reject \(reject.title)"
        return explanation
    }

    /// Returns the meaning of a reject code.
    static func meaning(ofReject code: String) -> String {
        rejectTexts.first { $0.title == code }?.meaning ?? ""
    }

    private static let rejectTexts: [Explanation] = [
        .init(
            "parse", "The record is not valid in its format.",
            "Correct the record at the position in the message. For tables, check `quote` and `delimiter`."
        ),
        .init(
            "shape", "The input is not a record, for example a number, or two values on one line.",
            "Write each record as one object; `read.at` is the path of the array of records."),
        .init(
            "key",
            "The key is null or missing, several objects in the store share it, or no object has it "
                + "and `when-missing` is `reject`.",
            "Fill in or correct the key, delete or change the duplicates in the message, or set `key` "
                + "to other attributes."),
        .init(
            "cast", "A value does not have its attribute's type.",
            "Correct the value, or convert it under `set` with `clean`, `map`, `date`, or `number`; "
                + "`on: { cast: null }` sets optional attributes to null."),
        .init(
            "required", "A required attribute has no value.",
            "Fill in the field, set a `default` under `set`, or make the attribute optional."),
        .init(
            "link", "No object has the key that a link names.",
            "Import that object first or in the same stage, or set `missing` to create, null, report, or "
                + "skip."),
        .init(
            "unique", "Another object has the same values of a uniqueness constraint.",
            "Correct the record, or use that constraint as `key`."),
        .init(
            "validate",
            "A value breaks a rule of the model, such as a range, a length, or a pattern.",
            "Correct the value."),
        .init(
            "expr", "An expression or a predicate over the record fails.",
            "Correct the record, or extend the expression to handle it."),
        .init(
            "encoding", "The bytes are not valid in the expected encoding.",
            "Correct the file, or set `read.encoding` to its encoding."),
        .init(
            "too-big", "The record is larger than `read.max-record`.",
            "Add the closing quote or bracket if it is missing, or raise `read.max-record`."),
        .init(
            "duplicate",
            "An earlier record of the stage had the same key, and `duplicates` is `reject`.",
            "Correct the records, or set `duplicates` to first or last."),
        .init(
            "found", "An object with this key already exists, and `when-found` is `reject`.",
            "Remove the record, or set `when-found` to update, skip, or replace."),
        .init(
            "extra", "The record has a field that no stage reads, and `extra` is `reject`.",
            "Name the field under `set` or `link`, or set `extra` to ignore."),
        .init(
            "duplicate-key", "A JSON object has a key twice, and `on.duplicate-key` rejects it.",
            "Correct the record, or remove `on.duplicate-key`; then the last value is used."),
    ]
}

extension Explanation {
    /// Explains a code that is its own title.
    init(_ code: String, _ meaning: String, _ fix: String) {
        self.init(title: code, names: [code], meaning: meaning, fix: fix)
    }
}

extension ExitStatus {
    /// The fix, in one sentence.
    fileprivate var fix: String {
        switch self {
        case .ok: "No action needed."
        case .check: "Read the output. The command changed nothing."
        case .usage: "See `etl help` for the flags and arguments of the command."
        case .dataError:
            "Read the reasons of the rejects, and correct them or the spec. Run again or use `etl "
                + "replay`. With `commit: batch`, each save is kept."
        case .noInput: "Correct the path; it is relative to the spec's folder."
        case .software: "Report it with the spec and the run's report."
        case .osError: "Raise the limits on memory, threads, or open files, and run again."
        case .cannotCreate: "Check the folder's permissions, or name another folder, and run again."
        case .ioError: "Free disk space or check the disk, and run again."
        case .temporaryFailure: "Run again later. The run resumes where it stopped."
        case .noPermission: "Give this user the permissions for the file in the message."
        case .configuration: "`etl check` shows every problem of the spec with its position."
        case .hungUp, .interrupted, .terminated: "Run again. The run resumes where it stopped."
        }
    }
}
