import GraphModel

extension ParameterValues {
    /// The values as predicates and expressions see them, by name without the dollar sign.
    var graphValues: [String: GraphValue] {
        values.mapValues { value in
            switch value {
            case .string(let text), .path(let text), .secret(let text): .string(text)
            case .int(let number): .integer(number)
            case .bool(let flag): .boolean(flag)
            case .date(let seconds, _): .date(secondsSinceReference: seconds)
            case .duration(let seconds, _): .integer(seconds)
            }
        }
    }
}
