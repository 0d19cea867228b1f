import Diagnostics
import GraphModel
import GraphStore
import RecordStreams

/// The checks of links to objects inside the record.
extension SpecificationChecker {
    mutating func checkNested(
        _ nested: NestedMapping, _ link: LinkMapping, _ relationship: RelationshipDescription,
        _ target: EntityDescription
    ) {
        if relationship.isToMany != nested.isList, !nested.each.text.isEmpty {
            let text = nested.each.text
            error(
                "rule",
                relationship.isToMany
                    ? "'\(relationship.name)' leads to many objects, and '\(text)' to one value"
                    : "'\(relationship.name)' leads to one object, and '\(text)' to many",
                nested.each.location,
                fix: relationship.isToMany ? "name the items: '\(text)[*]'" : nil)
        }
        if link.many == .remove {
            error(
                "rule", "'each' creates objects and links them, but `many: remove` removes links",
                nested.location, fix: "use replace or add")
        }
        if link.many ?? .replace == .replace, let name = relationship.inverseName,
            let inverse = model.relationship(name, of: target.name), relationship.isToMany,
            !inverse.isToMany, !inverse.isOptional
        {
            error(
                "rule",
                "`many: replace` would clear '\(target.name).\(name)' of objects that the record no "
                    + "longer has, and it is not optional",
                nested.location, fix: "set `many: add`, or make '\(name)' optional")
        }
        for inner in nested.link where inner.missing == .skip {
            error(
                "rule", "`missing: skip` leaves a record out, and this is a part of one",
                inner.missingLocation, fix: "use create, null, or reject")
        }
        for inner in nested.link where inner.missing == .report {
            error(
                "rule", "`missing: report` is for the links of complete records",
                inner.missingLocation, fix: "use create, null, or reject")
        }
        checkImport(nested.importSpec(into: target.name), from: relationship.inverseName)
    }

    /// Reports links with `each` for tables, whose fields cannot contain objects.
    mutating func checkNesting(_ spec: ImportSpec) {
        let formats = spec.read.files.map { RecordFormat(fileName: $0.knownEnd) }
        guard let format = spec.read.format ?? formats.first ?? nil, format.isTabular,
            formats.allSatisfy({ $0 == format }) || spec.read.format != nil
        else { return }
        for link in spec.link {
            guard let nested = link.nested else { continue }
            error(
                "rule", "'each' is for json and ndjson, and the files are \(format.rawValue)",
                nested.each.location)
        }
    }
}
