package import Diagnostics
import YAML

/// The keys of a parameter.
enum ParameterKeys {
    static let type = Key(
        required: "type", .choice(ParameterSpec.Kind.self), "The type of the parameter's values.",
        example: "date")
    static let `default` = Key(
        "default",
        Form<[String]>(.oneOrMore(.scalar)) { value, _ in
            value.listOrOne()?.compactMap { $0.scalarText() }
        },
        without: "a value must be given",
        """
        The value if no other is given. A list can have several values. Not allowed for a secret.
        """, example: "today - 90d")
    static let sources = Key(
        "from", .oneOrMore(ParameterSpec.sourceForm),
        "Other sources of the value, from first to last; `--set` overrides them.",
        example: "[\"file:/run/secrets/tasks\", \"env:TASKS_TOKEN\"]")
    static let mapping = DescribedMapping(
        "parameter", title: "params.NAME",
        "A value that is set when the spec runs; `--set` overrides all other sources.",
        example: """
            params:
              inbox:  { type: path, default: ./in }
              cutoff: { type: date, default: today - 90d }
              token:  { type: secret, from: ["file:/run/secrets/tasks", "env:TASKS_TOKEN"] }
            """,
        keys: [type, `default`, sources])
}

/// A parameter that a spec declares.
package struct ParameterSpec: Sendable, Hashable {
    /// The type of a parameter's values.
    package enum Kind: String, ExplainedChoice {
        case string, int, bool, date, duration, path, secret, list

        /// The accepted values of the type, as in the generated reference.
        package var meaning: String {
            switch self {
            case .string: "Text."
            case .int: "A whole number."
            case .bool: "True or false."
            case .date: "A date such as 2026-01-31, today - 90d, or now - 4h."
            case .duration: "A duration such as 30m or 1h30m."
            case .path: "A path; in `--set`, relative to the working folder."
            case .secret: "Text that is shown as `***`; not allowed in a spec or on a command line."
            case .list: "Strings for `IN $name`; each `--set` adds one."
            }
        }

        /// A description of the values with an example, for messages.
        package var example: String {
            switch self {
            case .string: "text"
            case .int: "a whole number"
            case .bool: "true or false"
            case .date: "a date such as 2026-01-31, today - 90d, or now - 4h"
            case .duration: "a duration such as 30m or 1h30m"
            case .path: "a path"
            case .secret: "a secret"
            case .list: "a list of texts"
            }
        }
    }

    /// A source for the value if the command line sets none.
    package enum Source: Sendable, Hashable {
        /// A file's text, without the line terminator.
        case file(String)
        /// An environment variable.
        case environment(String)
    }

    /// The name as in `${name}` and `$name`.
    package var name: String
    /// The type of its values.
    package var kind: Kind
    /// The default value as text; it is validated.
    package var defaultText: String?
    /// The default texts of a list.
    package var defaultList: [String]?
    /// The sources, in the order in which they are searched.
    package var sources: [Source] = []
    /// The location of the declaration.
    package var location: SourceLocation
}

extension ParameterSpec {
    /// Names with a built-in meaning.
    private static let reserved = ["now", "today", "run"]

    /// The allowed values of `parameters`: for each name, the settings of the parameter.
    ///
    /// A parameter of an unknown type is read as a string, so that its name is known.
    static let form = Form<[ParameterSpec]>.named("NAME", .mapping(ParameterKeys.mapping)) {
        name, value, reader in
        check(name, reader)
        guard value.isMapping else {
            value.fail(
                "type", "'\(value.label)' must be a mapping, not \(value.kind)",
                fix: "write `{ type: string }`")
            return ParameterSpec(name: name.text, kind: .string, location: name.location)
        }
        return Form<ParameterSpec>.mapping(ParameterKeys.mapping) {
            ParameterSpec(name, $0)
        }.read(value, reader)
    }

    private init(_ name: PlacedText, _ keys: KeyedMapping) {
        let kind = keys[ParameterKeys.type]
        self.init(name: name.text, kind: kind ?? .string, location: name.location)
        if kind == .list {
            defaultList = keys[ParameterKeys.default]
        } else if let found = keys.source(of: ParameterKeys.default) {
            defaultText = kind.flatMap { Self.text(ofDefault: found, $0) }
        }
        sources = keys[ParameterKeys.sources] ?? []
    }

    private static func check(_ name: PlacedText, _ reader: SpecificationReader) {
        let text = name.text
        let isIdentifier = text.unicodeScalars.enumerated().allSatisfy { index, scalar in
            scalar == "_" || (scalar.isASCII && scalar.properties.isAlphabetic)
                || (index > 0 && ("0"..."9").contains(scalar))
        }
        if !isIdentifier || text.isEmpty {
            reader.problems.report(
                "spec.name", "'\(text)' is not a valid parameter name", at: .source(name.location),
                fix: "begin with a letter or underscore; then letters, digits, and underscores")
        } else if reserved.contains(text) {
            reader.problems.report(
                "spec.name", "'\(text)' is reserved and cannot be a parameter",
                at: .source(name.location))
        }
    }

    private static func text(ofDefault value: YAMLValue, _ kind: Kind) -> String? {
        guard kind != .secret else {
            value.fail(
                "secret", "A secret must not be in the spec",
                fix: "name where it is kept: `from: [\"env:NAME\"]`")
            return nil
        }
        guard let text = value.scalarText() else { return nil }
        guard ParameterValues.convert(text, kind, now: 0) != nil else {
            return value.wrong(kind.example)
        }
        return text
    }

    fileprivate static let sourceForm = Form<Source>(
        .pattern("^(env|file):.+", "`env:NAME` or `file:PATH`")
    ) { value, _ in
        guard let text = value.filledText() else { return nil }
        if text.hasPrefix("file:"), text.count > 5 { return .file(String(text.dropFirst(5))) }
        if text.hasPrefix("env:"), text.count > 4 { return .environment(String(text.dropFirst(4))) }
        value.fail("source", "'\(text)' must begin with file: or env:")
        return nil
    }
}
