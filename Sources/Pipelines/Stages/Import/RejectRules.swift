import Diagnostics
import GraphStore
import YAML

/// The keys of `on`: the code of each kind of reject, and `duplicate-key`.
enum RejectKeys {
    /// For each code of a reject, the key that sets its rule.
    static let codes = Explanation.rejectCodes.map { code in
        Key(
            code,
            code == "cast"
                ? RejectRule.form(RejectRule.allCases) : RejectRule.form([.reject, .stop]),
            default: nil, Explanation.meaning(ofReject: code), example: "stop")
    }
    static let duplicateKey = Key(
        "duplicate-key", .choice(ImportSpec.Extra.self), default: .ignore,
        "A JSON object has a key twice. The last one counts unless the record is rejected.",
        example: "reject")
    static let mapping = DescribedMapping(
        "on",
        """
        What happens to a rejected record, for each code: `reject` writes it to the reject files, \
        `stop` stops the stage, and `null` sets only the value to null.
        """, keys: codes + [duplicateKey], explainsChoices: false)
}

/// The action for records that are rejected for a given reason.
enum RejectRule: String, ExplainedChoice {
    case reject, stop, null

    var meaning: String {
        switch self {
        case .reject: "The record goes to the reject files."
        case .stop: "Stops the stage."
        case .null: "The value becomes null, and the record stays."
        }
    }

    /// Returns the form of a key that allows these rules; the default `nil` means `reject`.
    fileprivate static func form(_ rules: [RejectRule]) -> Form<RejectRule?> {
        let words = rules.map { ValueForm.Word(text: $0.rawValue, meaning: $0.meaning) }
        return Form(.words(words), write: { ($0 ?? .reject).rawValue }) { value, _ in
            value.choice(RejectRule.self)
        }
    }
}

/// The settings of `on`.
struct RejectRules {
    /// The rules by code, each with its location.
    private var rules: [(code: String, rule: RejectRule, location: SourceLocation)] = []
    private var duplicateKeys: ImportSpec.Extra

    init(_ keys: KeyedMapping) {
        duplicateKeys = keys[RejectKeys.duplicateKey]
        for key in RejectKeys.codes {
            guard let rule = keys[key], let value = keys.source(of: key) else { continue }
            rules.append((key.name, rule, value.location))
        }
    }

    /// Applies the rules to a stage whose other keys have been read.
    func apply(to spec: inout ImportSpec, _ reader: SpecificationReader) {
        spec.duplicateKeys = duplicateKeys
        for (code, rule, location) in rules {
            if let (message, fix) = problem(code, rule, spec) {
                reader.problems.report("spec.rule", message, at: .source(location), fix: fix)
            }
            switch rule {
            case .reject: break
            case .stop: spec.stops.append(code)
            case .null where code == "cast": spec.nullsCasts = location
            case .null:
                reader.problems.report(
                    "spec.rule",
                    "'null' is only for 'cast', where one value is invalid; '\(code)' concerns "
                        + "the complete record", at: .source(location), fix: "use reject or stop")
            }
        }
    }

    /// Returns the problem of a rule whose code occurs only if another key enables it.
    private func problem(
        _ code: String, _ rule: RejectRule, _ spec: ImportSpec
    ) -> (message: String, fix: String)? {
        let other: (key: String, isReject: Bool)
        switch code {
        case "extra":
            if spec.extra == .stop, rule == .reject {
                return ("`extra: stop` says otherwise", "remove one of them")
            }
            other = ("extra", spec.extra != .ignore)
        case "duplicate": other = ("duplicates", spec.duplicates == .reject)
        case "found": other = ("when-found", spec.whenFound == .reject)
        default: return nil
        }
        return other.isReject
            ? nil
            : (
                "No record is rejected for '\(code)' unless the stage sets this",
                "add `\(other.key): reject`, or remove it"
            )
    }
}
