import Diagnostics
import GraphModel
import GraphStore

extension ImportSpec {
    /// Returns the expressions of `set` and `link`, each with the attribute that it fills.
    func expressions(
        in model: ManagedObjectModel?
    ) -> [RecordExpressionCheck.Subject] {
        var found: [RecordExpressionCheck.Subject] = []
        for mapping in set {
            guard case .field(let field) = mapping.origin, let text = field.expression,
                !field.isRowKey
            else {
                continue
            }
            let name = mapping.attribute.text
            found.append(
                .init(
                    text: text, field: field, attribute: model?.attribute(name, of: into.text),
                    drawing: read.generated?.drawing(into.text, name)))
        }
        for link in link {
            let relationship = model?.relationship(link.relationship.text, of: into.text)
            let entity = link.to?.text ?? relationship?.destinationEntityName ?? ""
            if let nested = link.nested {
                found += nested.importSpec(into: entity).expressions(in: model)
            }
            found += expressions(
                of: link.by, entity: entity, path: link.relationship.text, in: model)
        }
        return found
    }

    /// Returns the expressions in a link's key.
    private func expressions(
        of key: [LinkMapping.KeyPart], entity: String, path: String, in model: ManagedObjectModel?
    ) -> [RecordExpressionCheck.Subject] {
        key.flatMap { part -> [RecordExpressionCheck.Subject] in
            let name = part.property.text
            switch part.content {
            case .object(let to, let parts):
                let relationship = model?.relationship(name, of: entity)
                return expressions(
                    of: parts, entity: to?.text ?? relationship?.destinationEntityName ?? "",
                    path: "\(path).\(name)", in: model)
            case .field(let field):
                guard let text = field.expression else { return [] }
                return [
                    .init(
                        text: text, field: field, attribute: model?.attribute(name, of: entity),
                        drawing: read.generated?.drawing(into.text, "\(path).\(name)"))
                ]
            }
        }
    }
}

extension GraphExpression {
    /// Returns the expression with the variable `$row` replaced by the field `row`.
    ///
    /// `row` is the number of a generated record.
    func withRows() throws(GraphPredicateError) -> GraphExpression {
        let row = GeneratedSpec.rowName
        return try substituting(variables: [row: GraphExpression.keyPath([row])])
    }
}

/// Checks an expression over records, whose fields may be of any kind, before any record is read.
struct RecordExpressionCheck {
    /// An expression to check, with the attribute and the field mapping that use its value.
    struct Subject {
        var text: ExpressionText
        /// The field mapping that converts the value.
        var field: FieldMapping
        /// The attribute that it fills, if known.
        var attribute: AttributeDescription?
        /// The source of random values for generated records, or `nil` if records are read.
        var drawing: Drawing?
    }

    /// Sample values for all parameters, each of the type that the value in a run will have.
    let variables: [String: any GraphPredicateArgument]

    /// Returns the problems of a filter of records.
    func problems(in text: PredicateText) -> [Diagnostic] {
        let check = FormatCheck(entityName: nil, model: nil, variables: variables)
        var percents: [String] = []
        let mistakes = Self.all(check.predicate(text.text).mistakes) {
            () throws(GraphPredicateError) in
            let parsed = try ParsedPredicate(format: text.text)
            percents = parsed.predicate.percentPatterns
            _ = try CompiledPredicate(
                parsed.predicate.substituting(variables: lists), source: parsed.source,
                variables: bound(parsed.predicate.variables)
            ) { _ in 0 }
        }
        return mistakes.map { Diagnostic(predicateError: $0, at: text.location) }
            + percents.map { Diagnostic(percentPattern: $0, at: .source(text.location)) }
    }

    /// Returns the reasons why an expression cannot be computed or never has a value of the
    /// attribute.
    func problems(in subject: Subject) -> [Diagnostic] {
        let text = subject.text
        var known = variables
        if subject.drawing != nil { known[GeneratedSpec.rowName] = GraphValue.integer(0) }
        let check = FormatCheck(entityName: nil, model: nil, variables: known)
        var misfit: Diagnostic?
        var percents: [String] = []
        let mistakes = Self.all(check.expression(text.text).mistakes) {
            () throws(GraphPredicateError) in
            let parsed = try ParsedExpression(format: text.text)
            percents = parsed.expression.percentPatterns
            let expression = try
                (subject.drawing == nil ? parsed.expression : parsed.expression.withRows())
                .substituting(variables: lists)
            _ = try CompiledExpression(
                expression, source: parsed.source, variables: bound(expression.variables),
                drawing: subject.drawing
            ) { _ in 0 }
            misfit = problem(with: parsed.expression, subject)
        }
        return mistakes.map { Diagnostic(predicateError: $0, at: text.location) }
            + (misfit.map { [$0] } ?? [])
            + percents.map { Diagnostic(percentPattern: $0, at: .source(text.location)) }
    }

    /// Returns the mistakes, and the mistake that compiling finds if the text can be parsed.
    private static func all(
        _ mistakes: [GraphPredicateError], _ compile: () throws(GraphPredicateError) -> Void
    ) -> [GraphPredicateError] {
        guard mistakes.allSatisfy({ $0.code == .variable }) else { return mistakes }
        do throws(GraphPredicateError) {
            try compile()
            return mistakes
        } catch {
            return mistakes + [error]
        }
    }

    private var lists: [String: any GraphPredicateArgument] {
        variables.filter { $0.value is GraphExpression }
    }

    /// Returns values for all variables: an unknown variable is reported elsewhere and becomes null
    /// here.
    private func bound(_ names: [String]) -> [String: GraphValue] {
        var bound = variables.compactMapValues { $0 as? GraphValue }
        for name in names where bound[name] == nil { bound[name] = .null }
        return bound
    }

    private func problem(with expression: GraphExpression, _ subject: Subject) -> Diagnostic? {
        let field = subject.field
        // These settings may convert any value to a value of the attribute.
        guard field.datePattern == nil, field.map == nil, field.number == nil,
            field.separator == nil, !field.isLossy, let attribute = subject.attribute,
            let kind = kind(of: expression),
            let wanted = wanted(kind, expression, attribute, subject.text.location)
        else { return nil }
        return Diagnostic(
            code: "predicate.type",
            "'\(attribute.name)' is \(attribute.type.rawValue) and takes \(wanted), "
                + "and this expression gives \(kind.rawValue)",
            at: .source(subject.text.location))
    }

    private enum Kind: String {
        case number = "a number"
        case truth = "true or false"
        case text = "text"
        case date = "a date"
        case uuid = "a UUID"
        case binary = "binary data"
    }

    /// Returns the kind of the expression's value, or `nil` if it depends on the record.
    private func kind(of expression: GraphExpression) -> Kind? {
        switch expression {
        case .constant(let value): kind(of: value)
        case .variable(let name, let keys):
            keys.isEmpty ? (variables[name] as? GraphValue).flatMap { kind(of: $0) } : nil
        case .negation, .arithmetic: .number
        case .function(let name, let arguments): kind(ofFunction: name, arguments)
        case .conditional(_, let yes, let no):
            kind(of: yes).flatMap { $0 == kind(of: no) ? $0 : nil }
        case .keyPath, .evaluatedObject, .aggregate, .collection, .member, .index, .subquery: nil
        }
    }

    private func kind(of value: GraphValue) -> Kind? {
        switch value {
        case .boolean: .truth
        case .integer, .double, .decimal: .number
        case .string: .text
        case .date: .date
        case .uuid: .uuid
        case .binary: .binary
        case .null, .object: nil
        }
    }

    private func kind(ofFunction name: String, _ arguments: [GraphExpression]) -> Kind? {
        switch PredicateFunction.named[name]?.result {
        case .text: return .text
        case .integer, .count, .number: return .number
        case .date: return .date
        case .uuid: return .uuid
        case .cast:
            guard case .constant(.string(let name))? = arguments.last else { return nil }
            return AttributeType(rawValue: name).flatMap(Self.kind)
        case .texts, .common, nil: return nil
        }
    }

    private static func kind(of type: AttributeType) -> Kind? {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: .number
        case .boolean: .truth
        case .date: .date
        case .uuid: .uuid
        case .binary: .binary
        case .string, .uri: .text
        case .transformable, .composite, .undefined: nil
        }
    }

    /// Returns the description of a valid value, or `nil` if the attribute may accept the kind.
    private func wanted(
        _ kind: Kind, _ expression: GraphExpression, _ attribute: AttributeDescription,
        _ place: SourceLocation
    ) -> String? {
        guard let own = Self.kind(of: attribute.type), own != kind else { return nil }
        switch (own, kind) {
        case (.text, .truth): return attribute.type == .uri ? "a URI" : Kind.text.rawValue
        case (.text, _): return attribute.type == .uri && kind == .number ? "a URI" : nil
        // Text may contain a valid value; only constant text can be checked.
        case (_, .text):
            guard case .constant(.string(let text)) = expression else { return nil }
            let constant = ConstantValue.text(TemplateText(literal: text, at: place))
            return ConstantCheck.wanted(constant, for: attribute)
        case (.truth, .number): return nil
        default: return own.rawValue
        }
    }
}
