import Diagnostics
import RecordStreams
import YAML

/// Links to objects that stand in the record itself: `each`.
extension SpecificationReader {
    func readNested(_ entry: Entry, _ mapping: YAMLMapping) -> LinkMapping {
        let each = mapping.required("each").flatMap(readNestedPath)
        let into = mapping.optional("into").flatMap(placed)
        let key = readKey(mapping)
        let set = mapping.optional("set")?.mapping()?.all().map(readAttribute) ?? []
        let isSetOnly = mapping.optional("set-only")?.boolean() ?? false
        let link = mapping.optional("link")?.mapping()?.all().map(readLink) ?? []
        let whenFound = mapping.optional("when-found")?.choice(NestedMapping.WhenFound.self)
        let many = mapping.optional("many")?.choice(LinkMapping.Many.self)
        for key in ["to", "by", "missing"] {
            mapping.refuse(
                key, "'\(key)' is about looking an object up, and 'each' makes it of the record",
                fix: key == "to" ? "write `into`" : "remove it")
        }
        mapping.finish(.nested)
        return LinkMapping(
            relationship: PlacedText(entry.key, entry.keyLocation), to: into, by: [],
            missingLocation: entry.keyLocation, many: many,
            nested: NestedMapping(
                each: each ?? Self.unread(mapping.location), into: into, key: key,
                isAppended: whenFound == .append, set: set,
                isSetOnly: isSetOnly, link: link,
                location: mapping.location))
    }

    /// A path to one object, or to one list of them.
    private func readNestedPath(_ value: YAMLValue) -> PlacedText? {
        guard let text = placed(value) else { return nil }
        do throws(FieldPathError) {
            let steps = try FieldPath(parsing: text.text).steps
            if steps.dropLast().contains(.each) {
                value.fail(
                    "path", "'\(text.text)' leads through a list in a list",
                    fix: "take one list at a time, and put the other `each` under its `link`")
                return nil
            }
            return text
        } catch {
            problems.report(Diagnostic(pathError: error, at: value.location))
            return nil
        }
    }
}
