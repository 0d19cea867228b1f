import Diagnostics
import GraphModel
import YAML

extension AttributeMapping {
    /// The allowed values of `set`: for each attribute, the path of a field, or a mapping of keys.
    static let form = Form<[AttributeMapping]>.named(
        "ATTRIBUTE", .either([.text, .mapping(FieldKeys.mapping)])
    ) { attribute, value, reader in
        AttributeMapping(
            attribute: attribute, origin: origin(value, of: attribute, reader) ?? .unreadable)
    }

    private static func origin(
        _ value: YAMLValue, of attribute: PlacedText, _ reader: SpecificationReader
    ) -> Origin? {
        guard value.isMapping, let source = value.mapping() else {
            return FieldMapping.path(value, reader).map { .field(FieldMapping(source: $0)) }
        }
        if let fix = FieldMapping.elementFix(source) {
            return value.wrong("the path of a field", fix: fix)
        }
        let keys = KeyedMapping(source: source, reader: reader)
        let others = FieldKeys.keyMapping.keyNames.filter(source.keys.contains)
        let constant = keys[FieldKeys.constant]
        let field = FieldMapping.read(keys, property: attribute, isNamed: true)
        source.finish(FieldKeys.mapping)
        guard let place = keys.source(of: FieldKeys.constant) else {
            return field.map { .field($0) }
        }
        if let other = others.first {
            place.fail("rule", "'const' sets the value, so '\(other)' has no effect")
        }
        return constant.map { .constant($0, place.location) }
    }
}

extension FieldMapping {
    /// Returns the fix if a mapping contains the elements of a composite.
    ///
    /// That is assumed if none of its keys is, or resembles, a key of a field mapping.
    static func elementFix(_ mapping: YAMLMapping) -> String? {
        let known = FieldKeys.mapping.keyNames
        guard let key = mapping.keys.first,
            mapping.keys.allSatisfy({
                !known.contains($0) && Suggestion.phrase(for: $0, among: known).isEmpty
            })
        else { return nil }
        return "name an element of a composite by its path: `\(mapping.value.label).\(key): …`"
    }

    /// Returns the path of a field, which must be text.
    static func path(_ value: YAMLValue, _ reader: SpecificationReader) -> PlacedText? {
        guard let scalar = value.scalar, !value.isNull, scalar.value != .text else {
            return reader.placed(value)
        }
        value.fail(
            "type", "'\(value.label)' must be the name of a field, not \(value.kind)",
            fix: "write `{ const: \(scalar.text) }` for the value itself")
        return nil
    }

    /// Reads the long form of `set` and of `by`.
    ///
    /// - Parameter isNamed: Whether a missing `from` means the field with the property's name.
    static func read(
        _ keys: KeyedMapping, property: PlacedText, isNamed: Bool
    ) -> FieldMapping? {
        let from = keys.source(of: FieldKeys.from)
        let isComputed = keys.source(of: FieldKeys.expression) != nil
        if isComputed {
            from?.fail("rule", "'expr' computes the value, so 'from' has no effect")
        } else if from == nil, !isNamed {
            _ = keys.source.required(FieldKeys.from.name)
        }
        let source = from == nil ? (isNamed || isComputed ? property : nil) : keys[FieldKeys.from]
        var field = FieldMapping(
            source: source ?? property, expression: keys[FieldKeys.expression],
            isNeeded: keys[FieldKeys.need], fallback: keys[FieldKeys.fallback],
            clean: keys[FieldKeys.clean] ?? [], datePattern: keys[FieldKeys.date],
            zone: keys[FieldKeys.zone], number: keys[FieldKeys.number])
        field.isLossy = keys[FieldKeys.cast] == .lossy
        field.separator = keys[FieldKeys.split]
        field.map = keys[FieldKeys.map]
        if field.isNeeded, let value = keys.source(of: FieldKeys.fallback) {
            value.fail(
                "rule", "With a 'default' no record lacks the value, so 'need' has no effect")
        }
        if field.number?.isEpoch == true, let date = keys.source(of: FieldKeys.date) {
            date.fail("rule", "'number' and 'date' both say how the date is written")
        }
        return source == nil ? nil : field
    }

    static let fallbackForm = Form<Fallback>(.constant) { value, reader in
        Form<ConstantValue>.constant.read(value, reader).map {
            Fallback(value: $0, location: value.location)
        }
    }

    static let mapForm = Form<[MapEntry]>.named("TEXT", .constant) { text, value, reader in
        Form<ConstantValue>.constant.read(value, reader).map {
            MapEntry(from: text.text, to: $0, location: value.location)
        }
    }

    /// The allowed values of `zone`: `Z`, `UTC`, or `±hh:mm`.
    static let zoneForm = Form<Zone>(
        .pattern("^(Z|UTC|[+-](0[0-9]|1[0-8]):[0-5][0-9])$", "`Z` or an offset as `\"+02:00\"`")
    ) { value, _ in
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
                "zone", "'\(text)' is not an offset from UTC",
                fix:
                    "write Z or an offset such as +02:00; time zones are not allowed, because their offset changes"
            )
            return nil
        }
        return .init(seconds: seconds, location: value.location)
    }

    /// The allowed values of a date pattern.
    ///
    /// An invalid pattern is reported, but kept, so that further checks know that the field is a
    /// date.
    static let dateForm = Form<PlacedText>(.text) { value, reader in
        guard let pattern = value.filledText() else { return nil }
        let place = PlacedText(pattern, value.location)
        if let epoch = FieldMapping.NumberForm.Epoch(dateWord: pattern) {
            value.fail(
                "date-pattern", "'\(pattern)' is not a date pattern",
                fix:
                    "write `number: \(epoch.rawValue)` for the \(epoch.rawValue) since 1970 instead"
                    + " of `date`")
            return place
        }
        do throws(DatePattern.ParsingError) {
            _ = try DatePattern(parsing: pattern)
        } catch {
            value.fail(
                "date-pattern", error.description,
                fix: error.correction.map { "write `\($0)`" })
        }
        return place
    }
}

extension FieldMapping.NumberForm {
    /// The allowed values of `number` for a date: `seconds` or `milliseconds` since 1970.
    static let epoch = Form<FieldMapping.NumberForm>(.choice(Epoch.self)) { value, _ in
        value.choice(Epoch.self).map {
            FieldMapping.NumberForm(
                kind: $0 == .seconds ? .seconds : .milliseconds, location: value.location)
        }
    }

    /// The allowed values of the keys for separators in numbers: one character that is not a digit.
    static let sign = Form<String>(.character) { value, _ in
        guard let scalar = value.scalar, scalar.value == .text,
            scalar.text.unicodeScalars.count == 1, let first = scalar.text.unicodeScalars.first,
            first != "-", first != "+", !("0"..."9").contains(first), !first.properties.isAlphabetic
        else { return value.wrong("one character that is not a letter, a digit, or a sign") }
        return scalar.text
    }

    /// Reads the keys of the mapping form of `number`, which name the separators.
    init(_ keys: KeyedMapping) {
        let decimal = keys[NumberKeys.decimal]
        let group = keys[NumberKeys.thousands]
        if let group, group == decimal {
            keys.source(of: NumberKeys.thousands)?.fail(
                "rule", "'thousands' and 'decimal' must differ")
        }
        self.init(kind: .text(decimal: decimal, thousands: group), location: keys.location)
    }
}

extension FieldMapping.NumberForm.Epoch {
    /// Converts a word that is used instead of a date pattern, such as `unix`.
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
