import YAML

/// The allowed values of a key in a spec, with the code that reads and writes them.
///
/// `shape` describes the values for reference pages and editors.
struct Form<Value: Sendable>: Sendable {
    let shape: ValueForm
    /// The function that returns the YAML text of a value.
    let write: @Sendable (Value) -> String
    /// The function that reads the value, or reports it and returns `nil` if it has another form.
    let read: @Sendable (YAMLValue, SpecificationReader) -> Value?

    init(
        _ shape: ValueForm, write: @escaping @Sendable (Value) -> String = { "\($0)" },
        read: @escaping @Sendable (YAMLValue, SpecificationReader) -> Value?
    ) {
        self.shape = shape
        self.write = write
        self.read = read
    }
}

extension Form where Value == Bool {
    static var boolean: Form { Form(.boolean) { value, _ in value.boolean() } }
}

extension Form where Value: ExplainedChoice {
    /// Returns the form of one word of an enumeration, such as `update` or `skip`.
    static func choice(_ type: Value.Type) -> Form {
        Form(.choice(type), write: { $0.rawValue }) { value, _ in value.choice(type) }
    }
}

extension Form where Value == Int {
    /// Returns the form of an integer.
    static func integer(_ bounds: ClosedRange<Int64>) -> Form {
        Form(.integer(bounds)) { value, _ in value.integer(in: bounds).map { Int($0) } }
    }

    /// Returns the form of a size in bytes, such as `8MiB`, `512KiB`, `1GiB`, or `65536`.
    ///
    /// - Parameters:
    ///   - max: The largest allowed size.
    ///   - wanted: The description of a valid size, for the message about an invalid one.
    static func size(upTo max: Int = .max, wanted: String = "a size such as 8MiB") -> Form {
        Form(.size, write: { "\($0 >> 20)MiB" }) { value, _ in
            guard let text = value.scalar?.text else { return value.wrong(wanted) }
            let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
            let unit = units.first { text.hasSuffix($0.0) }
            let digits = unit.map { text.dropLast($0.0.count) } ?? text[...]
            let (bytes, isTooLarge) = (Int(digits) ?? 0)
                .multipliedReportingOverflow(by: unit?.1 ?? 1)
            guard bytes > 0, bytes <= max, !isTooLarge else { return value.wrong(wanted) }
            return bytes
        }
    }
}

extension Form where Value == Int64 {
    /// The form of a duration such as `30m`, `1h30m`, or `7d`, which is read as seconds.
    static var duration: Form {
        Form(.duration, write: { "\($0 / 86_400)d" }) { value, _ in
            guard let text = value.scalarText() else { return nil }
            guard let seconds = TimeText.duration(text), seconds > 0 else {
                return value.wrong("a duration such as 30m or 7d")
            }
            return seconds
        }
    }
}

extension Form {
    /// Returns the form of a list of items; an item that cannot be read is reported and left out.
    static func list<Item>(_ item: Form<Item>) -> Form where Value == [Item] {
        Form(.list(item.shape), write: { item.writeList($0) }) { value, reader in
            value.list()?.compactMap { item.read($0, reader) }
        }
    }

    /// Returns the form of a list, or of a single item as the short form of a list.
    static func oneOrMore<Item>(_ item: Form<Item>) -> Form where Value == [Item] {
        Form(.oneOrMore(item.shape), write: { item.writeList($0) }) { value, reader in
            value.listOrOne()?.compactMap { item.read($0, reader) }
        }
    }

    private func writeList(_ items: [Value]) -> String {
        "[\(items.map(write).joined(separator: ", "))]"
    }

    /// Returns the form of a mapping whose keys are names that the user chooses, such as
    /// attributes.
    ///
    /// - Parameter read: Creates an item from a name and its value; `nil` leaves the item out.
    static func named<Item>(
        _ placeholder: String, _ shape: ValueForm,
        _ read: @escaping @Sendable (PlacedText, YAMLValue, SpecificationReader) -> Item?
    ) -> Form where Value == [Item] {
        Form(.named(placeholder, shape)) { value, reader in
            value.mapping()?.all().compactMap {
                read(PlacedText($0.key, $0.keyLocation), $0.value, reader)
            }
        }
    }

    /// Returns the form of a mapping with fixed keys, such as `budget`.
    ///
    /// - Parameter read: Reads the mapping's keys; unknown keys are reported afterwards.
    static func mapping(
        _ mapping: @autoclosure @escaping @Sendable () -> DescribedMapping,
        _ read: @escaping @Sendable (KeyedMapping) -> Value?
    ) -> Form {
        Form(.described { mapping() }) { value, reader in
            guard let source = value.mapping() else { return nil }
            let result = read(KeyedMapping(source: source, reader: reader))
            source.finish(mapping())
            return result
        }
    }

    /// Returns the form of a value that is either a short form or a mapping.
    static func either(_ short: Form, or mapping: Form) -> Form {
        Form(.either([short.shape, mapping.shape]), write: short.write) { value, reader in
            (value.isMapping ? mapping : short).read(value, reader)
        }
    }
}
