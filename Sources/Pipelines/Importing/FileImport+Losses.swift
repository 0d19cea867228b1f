import Diagnostics
import GraphModel

/// The warnings of an import before it runs.
extension FileImport {
    /// Warnings about data that is not imported, or that may mean something else.
    var losses: [Diagnostic] {
        inference.warningsOfLosses(fit.newEntities, fit.isNewLink)
            + [request.emptyFolder.map(Self.noSpec)].compactMap(\.self)
            + doubtsAboutTypes + missingLinks
            + fit.imports.filter { !$0.skipped.isEmpty }.map { fitted in
                let names = FittedImport.listed(fitted.skipped, max: 12)
                let isOne = fitted.skipped.count == 1
                return Diagnostic(
                    .warning, code: "import.skipped-columns",
                    "\(fitted.entity) has no propert\(isOne ? "y" : "ies") for \(names), which"
                        + " \(isOne ? "is" : "are") skipped",
                    at: fitted.place,
                    fix: fit.isOfApp
                        ? "map \(isOne ? "it" : "them") to other properties in a spec; --save-spec DIR"
                            + " writes one"
                        : "add \(isOne ? "it" : "them") to the store's model with --add-columns")
            }
            + unknownKeys
            + fit.imports.filter { !$0.nulls.isEmpty }.map { fitted in
                let texts = fitted.nulls.map { use in
                    "'\(use.text)' in \(use.column) (\(ReportNumbers.several(use.count, "row")),"
                        + " the first at \(use.place))"
                }
                return Diagnostic(
                    .warning, code: "import.null",
                    "Read as null: \(FittedImport.listed(texts, max: 8))",
                    at: fitted.place,
                    fix: "name the texts without a value with --null TEXT; --null '' is for none")
            }
            + fit.imports.flatMap { fitted in
                fitted.decimalDoubts.map { doubt in
                    Diagnostic(
                        .warning, code: "import.decimal-mark", doubt.message,
                        at: fitted.place, fix: doubt.fix)
                }
            }
            + fit.joinTables.map { fitted, entities in
                Diagnostic(
                    .warning, code: "import.join-table",
                    "\(fitted.entity) holds only the keys of \(entities.joined(separator: " and ")), so"
                        + " it may be a join table; imported alone, its records become objects",
                    at: fitted.place,
                    fix: "import it together with the files of"
                        + " \(entities.joined(separator: " and ")) into a new store, to get a"
                        + " relationship")
            }
            + fit.imports.flatMap { fitted in
                fitted.withoutKey.map { column in
                    Diagnostic(
                        .warning, code: "import.skipped-columns",
                        "The objects in \(column) lack the key that \(fitted.entity) of the store has"
                            + " for them, and are skipped",
                        at: fitted.place,
                        fix: "add the fields of the key to the file")
                }
            }
    }

    /// Doubts about the types of attributes, which later imports do not change.
    private var doubtsAboutTypes: [Diagnostic] {
        let kept = fit.newAttributes.compactMap { own, entity, name in
            inference.remark(on: name, of: own).map { note, fix in
                Diagnostic(
                    .warning, code: "import.kept-as-text", "\(entity).\(name): \(note)",
                    at: place(of: entity), fix: fix)
            }
        }
        return kept
            + fit.openDates.map { entity, name, fix in
                Diagnostic(
                    .warning, code: "import.open-dates",
                    "\(entity).\(name): the day and the month cannot be distinguished, so its dates"
                        + " are not read",
                    at: place(of: entity), fix: fix)
            }
    }

    /// The columns that are not links in spite of their names or values.
    private var missingLinks: [Diagnostic] {
        let stored = fit.imports.flatMap { fitted in
            fitted.unlinked.map { attribute, other in
                Diagnostic(
                    .warning, code: "import.not-linked",
                    "\(fitted.entity).\(attribute) holds the keys of \(other), but the store has it"
                        + " as an attribute, so no link is added",
                    at: fitted.place,
                    fix:
                        "import the files of \(other) and \(fitted.entity) together into a new store,"
                        + " or change the model with `etl migrate`")
            }
        }
        return stored
            + inference.missingLinks(of: fit.newEntities).map { entity, note in
                Diagnostic(
                    .warning, code: "import.not-linked", "\(entity): \(note)",
                    at: place(of: entity),
                    fix:
                        "if it is a link, correct its values, and import all files into a new store;"
                        + " or set the link in a spec, as --save-spec DIR writes it")
            }
    }

    /// Returns the files of an entity.
    private func place(of entity: String) -> Diagnostic.Place {
        let files = fit.imports.filter { $0.entity == entity }.flatMap(\.files)
        return files.isEmpty ? .nowhere : FittedImport.place(of: files)
    }

    /// The warnings about keys in links of the store that no object has.
    private var unknownKeys: [Diagnostic] {
        fit.imports.flatMap { fitted in
            fitted.unknownKeys.map { keys in
                var warning = keys.warning
                warning.place = fitted.place
                return warning
            }
        }
    }

    /// Returns the warning about files without records, of which no spec is written.
    private static func noSpec(in folder: String) -> Diagnostic {
        Diagnostic(
            .warning, code: "import.no-spec",
            "The files have no record, so no spec is written to \(folder)",
            fix: "give --save-spec with files that have records")
    }
}
