/// The expressions and decimals that archived models hold.
enum ArchivedExpression {
    /// More is no derivation that anybody wrote.
    private static let nodesMax = 1_000

    /// The text of an archived `NSExpression`, as derivations are written in a model; nil of kinds
    /// that derivations do not have.
    static func text(of node: ArchivedNode) -> String? {
        var nodes = 0
        return text(of: node, &nodes)
    }

    /// Whether a function of that name gives what a key path leads to from its operand.
    static func takesKeyPath(_ selector: String) -> Bool {
        selector == "valueForKeyPath:" || selector == "valueForKey:"
    }

    private static func text(of node: ArchivedNode, _ nodes: inout Int) -> String? {
        // One object may be a part of many others, so that depth alone would be no bound.
        nodes += 1
        guard nodes < nodesMax else { return nil }
        if let text = node.text { return text }
        if let path = node["NSKeyPath"]?.text { return path }
        guard let selector = node["NSSelectorName"]?.text else {
            return node["NSConstantValue"].flatMap(constant)
        }
        var known: [String] = []
        for argument in node["NSArguments"]?.items ?? [] {
            guard let argument = text(of: argument, &nodes) else { return nil }
            known.append(argument)
        }
        // `a.b` is what `valueForKeyPath:` of `a` stands for.
        if takesKeyPath(selector), let path = known.first {
            let operand = node["NSOperand"].flatMap { text(of: $0, &nodes) }
            return [operand, path].compactMap(\.self).joined(separator: ".")
        }
        return "\(selector)(\(known.joined(separator: ", ")))"
    }

    private static func constant(_ node: ArchivedNode) -> String? {
        if let number = node.integer { return "\(number)" }
        if let number = node.real { return "\(number)" }
        return nil
    }
}

/// `NSDecimalNumber` in an archive: up to 16 bytes of digits, and where the point stands.
enum ArchivedDecimal {
    static func value(of node: ArchivedNode) -> Double? {
        guard let mantissa = node["NS.mantissa"]?.data, mantissa.count <= 16,
            let exponent = node["NS.exponent"]?.integer, (-255...255).contains(exponent)
        else { return nil }
        // Half words, the lowest first; each in the order of bytes of whoever wrote it.
        let isBigEndian = node["NS.mantissa.bo"]?.integer == 2
        var value = 0.0
        for place in stride(from: mantissa.count & ~1, to: 0, by: -2) {
            let (first, second) = (UInt16(mantissa[place - 2]), UInt16(mantissa[place - 1]))
            value = value * 65536 + Double(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        let digits = node.isTrue("NS.negative") ? "-\(value)" : "\(value)"
        // By its digits, so that 12 and an exponent of -1 are 1.2 exactly.
        guard value < 9_007_199_254_740_992, let whole = Int64(exactly: value) else {
            return Double(digits).map { $0 * power(exponent) }
        }
        return Double("\(node.isTrue("NS.negative") ? "-" : "")\(whole)e\(exponent)")
    }

    private static func power(_ exponent: Int64) -> Double { Double("1e\(exponent)") ?? 0 }
}
