import Diagnostics
import GraphModel
import YAML

/// What fills attributes and relationships.
extension SpecificationReader {
    typealias Entry = (key: String, keyLocation: SourceLocation, value: YAMLValue)

    func readAttribute(_ entry: Entry) -> AttributeMapping {
        let attribute = PlacedText(entry.key, entry.keyLocation)
        return AttributeMapping(
            attribute: attribute, origin: readOrigin(entry.value, of: attribute) ?? .unreadable)
    }

    private func readOrigin(
        _ value: YAMLValue, of attribute: PlacedText
    ) -> AttributeMapping.Origin? {
        guard value.isMapping, let mapping = value.mapping() else {
            return sourcePath(value).map { .field(FieldMapping(source: $0)) }
        }
        if let fix = Self.elementFix(mapping) {
            return value.wrong("the path of a field", fix: fix)
        }
        let const = mapping.optional("const")
        let others = SpecificationMapping.keyField.keyNames.filter(mapping.keys.contains)
        let field = readField(mapping, property: attribute, isNamed: true)
        mapping.finish(.field)
        guard let const else { return field.map { .field($0) } }
        if let other = others.first {
            const.fail("rule", "'const' sets the value, so '\(other)' has no effect")
        }
        return constant(const).map { .constant($0, const.location) }
    }

    /// What helps who writes the elements of a composite as a mapping: none of the keys is one
    /// that says what fills an attribute, or nearly one.
    static func elementFix(_ mapping: YAMLMapping) -> String? {
        let known = SpecificationMapping.field.keyNames
        guard let key = mapping.keys.first,
            mapping.keys.allSatisfy({
                !known.contains($0) && Suggestion.phrase(for: $0, among: known).isEmpty
            })
        else { return nil }
        return "name an element of a composite by its path: `\(mapping.value.label).\(key): …`"
    }

    private func sourcePath(_ value: YAMLValue) -> PlacedText? {
        guard let scalar = value.scalar, !value.isNull, scalar.value != .text else {
            return placed(value)
        }
        value.fail(
            "type", "'\(value.label)' must be the name of a field, not \(value.kind)",
            fix: "write `{ const: \(scalar.text) }` for the value itself")
        return nil
    }

    /// The long form of `set` and of `by`.
    ///
    /// - Parameter isNamed: a field of the property's own name is meant where `from` is missing.
    private func readField(
        _ mapping: YAMLMapping, property: PlacedText, isNamed: Bool
    ) -> FieldMapping? {
        let from = mapping.optional("from")
        let expr = mapping.optional("expr")
        let expression = expr.flatMap { value in
            expressionText(value).map { ExpressionText(text: $0, location: value.location) }
        }
        var source: PlacedText? = isNamed || expr != nil ? property : nil
        if let from {
            source = placed(from)
            if expr != nil {
                from.fail("rule", "'expr' computes the value, so 'from' has no effect")
            }
        } else if source == nil {
            _ = mapping.required("from")
        }
        var field = source.map { FieldMapping(source: $0, expression: expression) }
        readNeed(mapping, &field)
        let date = mapping.optional("date")
        if let date { checkDatePattern(date) }
        field?.datePattern = date.flatMap(placedQuietly)
        field?.separator = mapping.optional("split").flatMap(placed)
        field?.map = mapping.optional("map").flatMap(readMap)
        field?.clean = mapping.optional("clean")?.listOrOne()?.compactMap(readCleaning) ?? []
        field?.zone = mapping.optional("zone").flatMap(readZone)
        field?.number = mapping.optional("number").flatMap(readNumber)
        if let cast = mapping.optional("cast") {
            field?.isLossy = cast.choice(FieldMapping.CastRule.self) == .lossy
        }
        if let number = field?.number, number.isEpoch, let date {
            date.fail("rule", "'number' and 'date' both say how the date is written")
        }
        return field
    }

    private func readNeed(_ mapping: YAMLMapping, _ field: inout FieldMapping?) {
        let need = mapping.optional("need")
        field?.isNeeded = need?.boolean() ?? false
        guard let value = mapping.optional("default") else { return }
        field?.fallback = constant(value).map { .init(value: $0, location: value.location) }
        if need?.scalar?.value == .boolean(true) {
            value.fail("rule", "With a 'default' no record lacks the value, so 'need' asks nothing")
        }
    }

    private func readCleaning(_ value: YAMLValue) -> FieldMapping.Cleaning? {
        value.choice(FieldMapping.Cleaning.self)
    }

    /// `Z`, `UTC` or `±hh:mm`.
    private func readZone(_ value: YAMLValue) -> FieldMapping.Zone? {
        guard let text = value.scalar?.text else { return value.wrong("an offset such as +02:00") }
        var seconds: Int?
        if text == "Z" || text == "UTC" {
            seconds = 0
        } else if let first = text.utf8.first,
            first == UInt8(ascii: "+") || first == UInt8(ascii: "-")
        {
            let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            if parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
                let hours = Int(parts[0]), let minutes = Int(parts[1]), (0...18).contains(hours),
                (0...59).contains(minutes)
            {
                seconds = (hours * 60 + minutes) * (first == UInt8(ascii: "-") ? -60 : 60)
            }
        }
        guard let seconds else {
            value.fail(
                "zone", "'\(text)' is no offset from UTC",
                fix: "write Z or an offset such as +02:00; a place's offset changes with the season"
            )
            return nil
        }
        return .init(seconds: seconds, location: value.location)
    }

    /// `seconds`, `milliseconds`, or the signs between a number's digits.
    private func readNumber(_ value: YAMLValue) -> FieldMapping.NumberForm? {
        guard value.isMapping, let mapping = value.mapping() else {
            switch value.choice(FieldMapping.NumberForm.Epoch.self) {
            case .seconds: return .init(kind: .seconds, location: value.location)
            case .milliseconds: return .init(kind: .milliseconds, location: value.location)
            case nil: return nil
            }
        }
        let decimal = mapping.optional("decimal").flatMap(sign) ?? "."
        let thousands = mapping.optional("thousands")
        let group = thousands.flatMap(sign)
        mapping.finish(.number)
        if let thousands, let group, group == decimal {
            thousands.fail("rule", "'thousands' and 'decimal' must differ")
        }
        return .init(kind: .text(decimal: decimal, thousands: group), location: value.location)
    }

    /// One character that stands between digits.
    private func sign(_ value: YAMLValue) -> String? {
        guard let scalar = value.scalar, scalar.value == .text,
            scalar.text.unicodeScalars.count == 1, let first = scalar.text.unicodeScalars.first,
            first != "-", first != "+", !("0"..."9").contains(first), !first.properties.isAlphabetic
        else { return value.wrong("one character that is no letter, digit or sign") }
        return scalar.text
    }

    private func placedQuietly(_ value: YAMLValue) -> PlacedText? {
        guard let scalar = value.scalar, scalar.value == .text, !scalar.text.isEmpty else {
            return nil
        }
        return PlacedText(scalar.text, value.location)
    }

    private func checkDatePattern(_ value: YAMLValue) {
        guard let pattern = value.filledText() else { return }
        if let epoch = FieldMapping.NumberForm.Epoch(dateWord: pattern) {
            value.fail(
                "date-pattern", "'\(pattern)' is not a date pattern",
                fix:
                    "write `number: \(epoch.rawValue)` for the \(epoch.rawValue) since 1970 instead"
                    + " of `date`")
            return
        }
        do throws(DatePattern.ParsingError) {
            _ = try DatePattern(parsing: pattern)
        } catch {
            value.fail(
                "date-pattern", error.description,
                fix: error.correction.map { "write `\($0)`" })
        }
    }

    private func readMap(_ value: YAMLValue) -> [MapEntry]? {
        value.mapping()?.all().compactMap { entry in
            constant(entry.value).map {
                MapEntry(from: entry.key, to: $0, location: entry.value.location)
            }
        }
    }

    func constant(_ value: YAMLValue) -> ConstantValue? {
        guard let scalar = value.scalar else { return value.wrong("a single value") }
        switch scalar.value {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .integer(number)
        case .real(let number): return .real(number, text: scalar.text)
        case .text: return template(scalar.text, value).map { .text($0) }
        }
    }

    func readLink(_ entry: Entry) -> LinkMapping {
        let relationship = PlacedText(entry.key, entry.keyLocation)
        guard entry.value.isMapping, let mapping = entry.value.mapping() else {
            entry.value.fail(
                "type", "'\(entry.value.label)' must be a mapping, not \(entry.value.kind)",
                fix: "say how the objects are found: `{ by: { email: owner.email } }`")
            return LinkMapping(
                relationship: relationship, by: [], missingLocation: entry.keyLocation)
        }
        if mapping.keys.contains("each") { return readNested(entry, mapping) }
        let to = mapping.optional("to").flatMap(placed)
        let by = mapping.required("by").flatMap(readBy)
        let missing = mapping.optional("missing")
        let rule = missing?.choice(LinkMapping.Missing.self)
        let many = mapping.optional("many")?.choice(LinkMapping.Many.self)
        for key in ["into", "key", "set", "set-only", "link"] {
            mapping.refuse(
                key, "'\(key)' is about objects inside the record",
                fix: "name them: `each: \"items[*]\"`")
        }
        mapping.finish(.link)
        return LinkMapping(
            relationship: relationship, to: to, by: by ?? [], missing: rule ?? .reject,
            missingLocation: missing?.location ?? entry.keyLocation, many: many)
    }

    private func readBy(_ value: YAMLValue) -> [LinkMapping.KeyPart]? {
        guard value.isMapping, let entries = value.mapping()?.all() else {
            return value.wrong("a mapping such as { email: owner.email }")
        }
        if entries.isEmpty { value.fail("by", "'by' names no attribute") }
        return entries.map(readKeyPart)
    }

    private func readKeyPart(_ entry: Entry) -> LinkMapping.KeyPart {
        let property = PlacedText(entry.key, entry.keyLocation)
        // The name of what cannot be read counts all the same, for the key is looked at whole.
        var field = FieldMapping(source: Self.unread(entry.keyLocation))
        guard entry.value.isMapping, let mapping = entry.value.mapping() else {
            if let source = sourcePath(entry.value) { field.source = source }
            return LinkMapping.KeyPart(property: property, content: .field(field))
        }
        guard !mapping.keys.contains("by") else {
            let to = mapping.optional("to").flatMap(placed)
            let by = mapping.required("by").flatMap(readBy)
            mapping.finish(.keyLink)
            return LinkMapping.KeyPart(property: property, content: .object(to: to, by: by ?? []))
        }
        if let read = readField(mapping, property: property, isNamed: false) { field = read }
        mapping.finish(.keyField)
        return LinkMapping.KeyPart(property: property, content: .field(field))
    }
}

extension FieldMapping.NumberForm.Epoch {
    /// The form that a word means where a date pattern belongs, such as `unix`.
    fileprivate init?(dateWord word: String) {
        switch word.lowercased().filter(\.isLetter) {
        case "unix", "epoch", "unixtime", "unixtimestamp", "timestamp", "posix", "seconds",
            "epochseconds", "unixseconds", "s":
            self = .seconds
        case "milliseconds", "epochmilliseconds", "unixmilliseconds", "millis", "epochmillis",
            "unixms", "epochms", "ms":
            self = .milliseconds
        default: return nil
        }
    }
}
