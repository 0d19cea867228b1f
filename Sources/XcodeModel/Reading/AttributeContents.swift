import Diagnostics
import GraphModel

/// A reader of `attribute` elements.
enum AttributeContents {
    static let children: Set<String> = ["userInfo"]

    /// Reads an attribute; returns `nil` and reports the problem if it has no name.
    static func read(
        _ element: XMLElement, _ owner: String, _ problems: ContentsProblems
    ) -> AttributeDescription? {
        var source = ElementAttributes(element, owner, problems)
        guard let name = source.name("An attribute of '\(owner)'") else { return nil }
        source.keyPath = "\(owner).\(name)"
        let isTransient = source.flag("transient")
        var attribute = AttributeDescription(
            name: name, type: type(&source, isTransient: isTransient),
            isOptional: source.flag("optional"), isTransient: isTransient,
            renamingIdentifier: source.filled("elementID"),
            versionHashModifier: source.filled("versionHashModifier"),
            userInfo: source.userInfo())
        attribute.allowsExternalBinaryDataStorage = source.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = source.flag("preserveAfterDeletion")
        attribute.transformerName = source.filled("valueTransformerName").map(TransformerNames.ours)
        warnOfTransformer(source, attribute)
        attribute.compositeName = source.filled("composite")
        readDerivation(&source, &attribute)
        readRules(&source, &attribute)
        readDefault(&source, &attribute)
        readScalar(&source, &attribute)
        source.warnAboutChildren(except: children)
        attribute.extras = source.extras
        return attribute
    }

    private static func type(
        _ source: inout ElementAttributes, isTransient: Bool
    ) -> AttributeType {
        guard let text = source.filled("attributeType") else {
            if !isTransient {
                source.problems.fail(
                    "attribute-type",
                    "'\(source.keyPath)' has no type; only a transient "
                        + "attribute needs none", source.place(nil),
                    fix: "give it an attributeType, or transient=\"YES\"")
            }
            return .undefined
        }
        if let type = AttributeType(rawValue: text) { return type }
        let names = AttributeType.allCases.map(\.rawValue)
        source.problems.fail(
            "attribute-type",
            "'\(text)' is not an attribute type" + Suggestion.phrase(for: text, among: names),
            source.place("attributeType"))
        return .undefined
    }

    private static func warnOfTransformer(
        _ source: ElementAttributes, _ attribute: AttributeDescription
    ) {
        let key = "valueTransformerName"
        guard let problem = attribute.transformerProblem(key: key) else { return }
        source.problems.warn("rule", problem.message, source.place(key), fix: problem.fix)
    }

    private static func readDerivation(
        _ source: inout ElementAttributes, _ attribute: inout AttributeDescription
    ) {
        let isDerived = source.flag("derived")
        let expression = source.text("derivationExpression")
        guard isDerived else {
            // Xcode keeps the expression when a derivation is turned off.
            source.keep("derivationExpression")
            return
        }
        attribute.derivationExpression = expression ?? ""
        if expression?.isEmpty ?? true {
            source.problems.warn(
                "derived", "'\(source.keyPath)' is derived, but has no expression",
                source.place("derived"))
        }
    }

    // MARK: Rules

    private static func readRules(
        _ source: inout ElementAttributes, _ attribute: inout AttributeDescription
    ) {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            let type = attribute.type
            attribute.range = range(&source, "minValueString", "maxValueString") {
                ContentsText.text($0, of: type)
            }
        case .date:
            attribute.range = range(&source, "minDateTimeInterval", "maxDateTimeInterval") {
                ScalarText.whole($0)
            }
        case .string:
            attribute.length = range(
                &source, "minValueString", "maxValueString", ScalarText.whole)
        default: break
        }
        readPattern(&source, &attribute)
    }

    /// Reads the minimum and the maximum of a value.
    ///
    /// If the writer would write a number with another text, the original text is kept.
    private static func range(
        _ source: inout ElementAttributes, _ minimum: String, _ maximum: String,
        _ canonical: (Double) -> String
    ) -> NumberRange? {
        func end(_ name: String, _ source: inout ElementAttributes) -> Double? {
            guard let text = source.text(name) else { return nil }
            let number = ContentsText.number(text)
            if number.map(canonical) != text { source.keep(name) }
            if number == nil, !text.isEmpty {
                source.problems.warn(
                    "range", "'\(name)' must be a number, not '\(text)'; it is not enforced",
                    source.place(name))
            }
            return number
        }
        let range = NumberRange(minimum: end(minimum, &source), maximum: end(maximum, &source))
        guard range.minimum != nil || range.maximum != nil else { return nil }
        if let low = range.minimum, let high = range.maximum, low > high {
            source.problems.warn(
                "range", "'\(source.keyPath)' allows no value: \(minimum) is above \(maximum)",
                source.place(minimum))
        }
        return range
    }

    private static func readPattern(
        _ source: inout ElementAttributes, _ attribute: inout AttributeDescription
    ) {
        guard attribute.type == .string, let pattern = source.filled("regularExpressionString")
        else { return }
        attribute.pattern = pattern
        do {
            _ = try CompiledPattern(pattern)
        } catch {
            source.problems.warn(
                "pattern", "The pattern is kept, but not checked: \(error.description)",
                source.place("regularExpressionString"))
        }
    }

    // MARK: Defaults

    private static func readDefault(
        _ source: inout ElementAttributes, _ attribute: inout AttributeDescription
    ) {
        let key = attribute.type == .date ? "defaultDateTimeInterval" : "defaultValueString"
        guard let text = source.text(key) else { return }
        attribute.defaultValue = ContentsText.defaultValue(text, of: attribute.type)
        let canonical = attribute.defaultValue.flatMap {
            $0 == .text(text) ? text : Self.text($0, of: attribute.type)
        }
        if canonical != text { source.keep(key) }
        guard attribute.defaultValue == nil, !text.isEmpty, !attribute.isTransient else { return }
        source.problems.warn(
            "default",
            "'\(text)' is not a default for \(attribute.type.rawValue); it is kept, but not used",
            source.place(key))
    }

    /// Returns the text with which `ContentsWriter` writes a default value.
    static func text(_ value: StoredValue, of type: AttributeType) -> String? {
        if type == .date, case .real(let seconds) = value { return ScalarText.whole(seconds) }
        return ContentsText.text(value, of: type)
    }

    /// Keeps `usesScalarValueType` only if it differs from Xcode's default.
    private static func readScalar(
        _ source: inout ElementAttributes, _ attribute: inout AttributeDescription
    ) {
        guard let usual = attribute.type.usuallyUsesScalar else { return }
        guard let text = source.text("usesScalarValueType") else {
            return source.keepAbsence(of: "usesScalarValueType")
        }
        if (text == "YES") != usual { source.keep("usesScalarValueType") }
    }
}

/// Names of value transformers in model files.
enum TransformerNames {
    /// Xcode's name for the secure transformer.
    static let secureArchive = "NSSecureUnarchiveFromData"

    /// Returns the name that models here have for a transformer.
    static func ours(_ name: String) -> String { name == secureArchive ? "secure-archive" : name }
}

extension AttributeDescription {
    /// The value transformer by the name that model files have for it.
    var xcodeTransformerName: String? {
        transformerName.map { $0 == "secure-archive" ? TransformerNames.secureArchive : $0 }
    }
}

extension AttributeType {
    /// Xcode's default of `usesScalarValueType` for a new attribute; `nil` if it writes none.
    var usuallyUsesScalar: Bool? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: true
        case .date, .uuid: false
        default: nil
        }
    }
}
