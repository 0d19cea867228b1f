import Diagnostics
import YAML

extension Form where Value == String {
    /// The form of a text that is not empty.
    static var string: Form { Form(.text) { value, _ in value.filledText() } }
}

extension Form where Value == PlacedText {
    /// The form of a text that is not empty, which is read with its location.
    static var text: Form { Form(.text) { value, reader in reader.placed(value) } }
}

extension Form where Value == TemplateText {
    /// The form of a path, which may contain parameters as `${name}`.
    static var path: Form {
        Form(.path, write: { $0.text }) { value, reader in reader.template(value) }
    }

    /// The form of a text that may contain parameters as `${name}`.
    static var template: Form { Form(.text) { value, reader in reader.template(value) } }

    /// Returns the form of a number, or of text whose parameters result in a number when the run
    /// begins.
    ///
    /// - Parameters:
    ///   - things: The things that are counted.
    ///   - parameter: The name of an example parameter for messages.
    static func count(
        _ bounds: ClosedRange<Int64>, of things: String, parameter: String
    ) -> Form {
        let words = "a parameter such as `\"${\(parameter)}\"`"
        return Form(.either([.integer(bounds), .pattern(#"\$\{[^}]+\}"#, words)])) {
            value, reader in
            if case .integer = value.scalar?.value {
                return value.integer(in: bounds).map {
                    TemplateText(literal: String($0), at: value.location)
                }
            }
            guard let text = reader.template(value) else { return nil }
            guard !text.parameterNames.isEmpty else {
                return value.wrong(
                    "a number of \(things), or a parameter such as \"${\(parameter)}\"")
            }
            return text
        }
    }
}

extension Form where Value == CountLimit {
    /// The form of a limit: a number or a percentage, such as `100` or `5%`.
    static var limit: Form {
        Form(.limit, write: { $0.text }) { value, _ in
            if let scalar = value.scalar, scalar.value == .text, scalar.text.hasSuffix("%"),
                let percent = Double(scalar.text.dropLast()), (0...100).contains(percent)
            {
                return .percent(percent)
            }
            guard case .integer(let count) = value.scalar?.value, count >= 0 else {
                return value.wrong("a number such as 100 or a percentage such as 5%")
            }
            return .count(Int(count))
        }
    }
}

extension Form where Value == [PlacedText] {
    /// Returns the same form with an additional check that reports repeated names.
    ///
    /// - Parameter place: The position for the message, such as `in the key`.
    func distinct(_ place: String) -> Form {
        Form(shape, write: write) { value, reader in
            guard let names = read(value, reader) else { return nil }
            var seen: Set<String> = []
            for name in names where !seen.insert(name.text).inserted {
                reader.problems.report(
                    "spec.duplicate-name", "'\(name.text)' is \(place) already",
                    at: .source(name.location))
            }
            return names
        }
    }
}

extension Form where Value == Selection {
    /// The form of a predicate or `ALL`; an invalid value is read as `ALL`.
    static var selection: Form {
        Form(.predicate, write: { _ in "ALL" }) { value, reader in
            guard let text = reader.expression(value), text != "ALL" else { return .all }
            guard text.uppercased() != "ALL" else {
                value.fail(
                    "choice", "'\(text)' is not a predicate", fix: "write `ALL` for every object")
                return .all
            }
            return .matching(PredicateText(text: text, location: value.location))
        }
    }
}

extension Form where Value == PredicateText {
    static var predicate: Form {
        Form(.predicate) { value, reader in
            reader.expression(value).map { PredicateText(text: $0, location: value.location) }
        }
    }
}

extension Form where Value == ExpressionText {
    static var expression: Form {
        Form(.expression) { value, reader in
            reader.expression(value).map { ExpressionText(text: $0, location: value.location) }
        }
    }
}

extension Form where Value == ConstantValue {
    /// The form of a constant: text, a number, a Boolean, or null.
    static var constant: Form {
        Form(.constant) { value, reader in
            guard let scalar = value.scalar else { return value.wrong("a single value") }
            switch scalar.value {
            case .null: return .null
            case .boolean(let flag): return .boolean(flag)
            case .integer(let number): return .integer(number)
            case .real(let number): return .real(number, text: scalar.text)
            case .text: return reader.template(scalar.text, value).map { .text($0) }
            }
        }
    }
}
