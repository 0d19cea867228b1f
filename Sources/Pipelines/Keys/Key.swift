import Diagnostics
import YAML

/// One key of a mapping in a spec: its name, its form, its default, and its description.
///
/// ```
/// static let keep = Key(
///     "keep", .integer(1...100_000), default: 60, "Number of runs to keep.", example: "10")
/// ```
/// While a mapping is read, `mapping[keep]` is the value, or 60 if the key is missing.
struct Key<Value: Sendable>: SpecificationKey {
    let description: KeyDescription
    /// The value if the key is missing, or if its value is wrong and reported.
    let `default`: Value
    private let fix: String?
    private let read: @Sendable (YAMLValue, SpecificationReader) -> Value?

    /// Creates a key with a default.
    init(
        _ name: String, _ form: Form<Value>, default value: Value, _ meaning: String,
        example: String
    ) {
        description = KeyDescription(
            name, form.shape, .same(as: form.write(value)), meaning, example: example)
        `default` = value
        fix = nil
        read = form.read
    }

    /// Creates a key that is `nil` by default.
    ///
    /// - Parameter absence: The description of the default behavior.
    init<Wrapped>(
        _ name: String, _ form: Form<Wrapped>, without absence: String? = nil, _ meaning: String,
        example: String
    ) where Value == Wrapped? {
        let absence = absence.map(KeyDescription.Absence.means) ?? .nothing
        self.init(
            KeyDescription(name, form.shape, absence, meaning, example: example), form, fix: nil)
    }

    /// Creates a required key; if it is missing, this is reported and the value is `nil`.
    init<Wrapped>(
        required name: String, _ form: Form<Wrapped>, _ meaning: String, example: String,
        fix: String? = nil
    ) where Value == Wrapped? {
        self.init(
            KeyDescription(name, form.shape, .error, meaning, example: example), form, fix: fix)
    }

    private init<Wrapped>(_ description: KeyDescription, _ form: Form<Wrapped>, fix: String?)
    where Value == Wrapped? {
        self.description = description
        `default` = nil
        self.fix = fix
        read = { value, reader in form.read(value, reader).map { $0 } }
    }

    /// Returns the key's value in a mapping, and reports a missing or wrong value.
    fileprivate func value(in mapping: KeyedMapping) -> Value {
        let value =
            description.absence == .error
            ? mapping.source.required(name, fix: fix) : mapping.source.optional(name)
        return value.flatMap { read($0, mapping.reader) } ?? `default`
    }
}

/// A key of any type.
protocol SpecificationKey: Sendable {
    var description: KeyDescription { get }
}

extension SpecificationKey {
    var name: String { description.name }
}

/// A key of a model file, which another module reads.
extension KeyDescription: SpecificationKey {
    var description: KeyDescription { self }
}

/// A mapping of a spec that is read key by key.
struct KeyedMapping {
    let source: YAMLMapping
    let reader: SpecificationReader

    var location: SourceLocation { source.location }

    /// The value of a key, or its default; read each key only once, because reading reports
    /// problems.
    subscript<Value>(key: Key<Value>) -> Value { key.value(in: self) }

    /// Returns the YAML value of a key, for rules about several keys.
    func source(of key: any SpecificationKey) -> YAMLValue? { source.optional(key.name) }

    /// Reports an error for a key that has no effect in combination with the other keys.
    func reject(_ key: any SpecificationKey, _ message: String, fix: String? = nil) {
        source.reject(key.name, message, fix: fix)
    }
}
