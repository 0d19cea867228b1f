import Diagnostics
import GraphModel
import RecordStreams
import YAML

/// Warnings about inputs that an inference skips, renames, or may misread.
enum InputLoss {
    private static let shownMax = 8

    /// Returns the warnings about a file before any record is read.
    ///
    /// - Parameters:
    ///   - inputs: The inputs of one file.
    ///   - file: The name of the file in messages.
    static func of(_ inputs: [SampleInput], in file: String) -> [Diagnostic] {
        guard let first = inputs.first else { return [] }
        var losses: [Diagnostic] = []
        if !first.leftOut.isEmpty {
            let records = FittedImport.listed(inputs.map(\.form.at), max: 3)
            losses.append(
                leftOut(
                    "Values outside the records of \(records) are not imported: "
                        + FittedImport.listed(first.leftOut, max: shownMax), file,
                    fix: "to import them, too, write a spec with an import of this file that has"
                        + " `at: $`"))
        }
        if let sign = first.likelyDelimiter {
            let key = "set `read.delimiter: \(YAMLWriter.scalar(sign))` in a spec"
            let isByte = sign.utf8.count == 1
            losses.append(
                Diagnostic(
                    .warning, code: "infer.one-column",
                    "The table has one column, and '\(sign)' may separate its fields",
                    at: .file(file),
                    fix: isByte
                        ? "if it does, write the line `sep=\(sign)` above the header, or \(key)"
                        : "if it does, \(key)"))
        }
        if let repeated = first.form.header?.repeated, !repeated.isEmpty,
            let names = first.form.columns
        {
            let names = FittedImport.listed(names, max: 12)
            losses.append(
                Diagnostic(
                    .warning, code: "infer.repeated-names",
                    "The header has a name more than once ("
                        + FittedImport.listed(repeated, max: shownMax)
                        + "), so its columns are called \(names)",
                    at: .file(file), fix: "give each column in the first line a different name"))
        }
        return losses
    }

    /// Returns the warnings about fields of the records that no path can name.
    static func of(_ sample: Sample) -> [Diagnostic] {
        let file = sample.paths.first ?? ""
        var losses: [Diagnostic] = []
        if sample.hasNamelessField {
            losses.append(
                leftOut("A field without a name is left out", file, fix: "give the field a name"))
        }
        if sample.root.isTooWide {
            losses.append(
                leftOut(
                    "The records have more than 4096 fields, and the last ones are left out", file,
                    fix: "name the fields that are needed in a spec of your own"))
        }
        var seen: [SampleForm] = []
        for input in sample.inputs where !seen.contains(input.form) {
            seen.append(input.form)
            losses += columnsWithoutName(input, of: sample)
        }
        return losses
    }

    private static func columnsWithoutName(
        _ input: SampleInput, of sample: Sample
    ) -> [Diagnostic] {
        let nameless = (input.form.header?.nameless.sorted() ?? [])
            .compactMap { sample.nameless($0, in: input.form) }.filter { !$0.isLeftOut }
        guard !nameless.isEmpty else { return [] }
        let names = FittedImport.listed(nameless.map(\.text), max: shownMax)
        return [
            Diagnostic(
                .warning, code: "infer.no-name",
                nameless.count == 1
                    ? "The header has no name for a column, which is called \(names)"
                    : "The header has no names for \(nameless.count) columns, which are called"
                        + " \(names)",
                at: .file(input.pattern), fix: "name the columns in the first line")
        ]
    }

    /// Returns the warning about records that share a name but neither the key nor half of the
    /// fields.
    static func sameName(
        _ file: String, _ entity: String, like other: String, _ otherEntity: String
    ) -> Diagnostic {
        Diagnostic(
            .warning, code: "infer.same-name",
            "The records have neither the key nor half of the fields of those in"
                + " \(PathText.lastComponent(other)), so they are \(entity), and not \(otherEntity)",
            at: .file(file),
            fix:
                "import the file alone, and name its entity with --entity; if both are of one kind,"
                + " give the key one name in both files")
    }

    /// Returns the warnings about keys and types that may be wrong.
    ///
    /// - Parameter model: The model of the target store.
    static func of(_ entity: InferredEntity, _ model: ManagedObjectModel?) -> [Diagnostic] {
        openNumbers(entity, model) + [entity.day.map { oneDay(entity, $0) }].compactMap(\.self)
    }

    /// Returns the warning about a file of one day whose key has no day.
    private static func oneDay(
        _ entity: InferredEntity, _ day: InferredEntity.Day
    ) -> Diagnostic {
        Diagnostic(
            .warning, code: "infer.one-day",
            "The name of the file has a date, and the key is \(day.key.joined(separator: " + "))"
                + " without it, so that the file of another day overwrites these objects",
            at: .file(entity.stages.first?.paths.first ?? ""),
            fix: day.field.map { field in
                "if each day has its own objects, add --key "
                    + (day.key + [field]).map(CommandExample.shell).joined(separator: ",")
            }
                ?? "if each day has its own objects, add a column with the day, and name both in "
                + "--key")
    }

    /// Returns the warnings about numbers that may be 1,000 times as large as they are read.
    private static func openNumbers(
        _ entity: InferredEntity, _ model: ManagedObjectModel?
    ) -> [Diagnostic] {
        // If commas separate the columns, numbers rarely have decimal commas, so a point is
        // decimal.
        guard let stage = entity.stages.first, stage.form.delimiter == [UInt8(ascii: ";")] else {
            return []
        }
        // The first import of a column has decided between its decimal marks.
        let stored = InferredNames.match(entity.name, model?.entities.map(\.name) ?? [])
        let decided = (stored.flatMap { model?.attributes(of: $0) } ?? [])
            .filter { PropertyOrigin($0.userInfo).number != nil }
            .map { InferredNames.folded($0.name) }
        return entity.attributes.filter { attribute in
            attribute.isOpenNumber && !decided.contains(InferredNames.folded(attribute.name))
        }.map { attribute in
            Diagnostic(
                .warning, code: "infer.open-number",
                "The point in the numbers of \(attribute.source) may separate decimals or group "
                    + "thousands; it is read as the decimal separator",
                at: .file(stage.paths.first ?? ""),
                fix: "if it groups thousands, set `number: { thousands: \".\" }` in a spec, as"
                    + " `etl infer FILE --output DIR` writes it")
        }
    }

    private static func leftOut(_ message: String, _ file: String, fix: String) -> Diagnostic {
        Diagnostic(.warning, code: "infer.left-out", message, at: .file(file), fix: fix)
    }
}
