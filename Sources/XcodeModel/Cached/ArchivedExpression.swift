/// The expressions and decimals in archived models.
enum ArchivedExpression {
    /// The maximum number of nodes; no real derivation has more.
    private static let nodesMax = 1_000

    /// Returns an archived `NSExpression` in the syntax of derivations; `nil` if it is of another
    /// kind.
    static func text(of node: ArchivedNode) -> String? {
        var nodes = 0
        return text(of: node, &nodes)
    }

    /// Returns whether a function applies a key path to its operand.
    static func takesKeyPath(_ selector: String) -> Bool {
        selector == "valueForKeyPath:" || selector == "valueForKey:"
    }

    private static func text(of node: ArchivedNode, _ nodes: inout Int) -> String? {
        // An object can be part of many others, so a limit on the depth is not enough.
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
        // `valueForKeyPath:` on `a` is written as `a.b`.
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

/// The value of an archived `NSDecimalNumber`: up to 16 bytes of digits and a decimal exponent.
enum ArchivedDecimal {
    static func value(of node: ArchivedNode) -> Double? {
        guard let mantissa = node["NS.mantissa"]?.data, mantissa.count <= 16,
            let exponent = node["NS.exponent"]?.integer, (-255...255).contains(exponent)
        else { return nil }
        // 16-bit words, the lowest first, each in the byte order of the archiver.
        let isBigEndian = node["NS.mantissa.bo"]?.integer == 2
        var value = 0.0
        for place in stride(from: mantissa.count & ~1, to: 0, by: -2) {
            let (first, second) = (UInt16(mantissa[place - 2]), UInt16(mantissa[place - 1]))
            value = value * 65536 + Double(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        let digits = node.isTrue("NS.negative") ? "-\(value)" : "\(value)"
        // Parse the digits, so that 12 with an exponent of -1 is exactly 1.2.
        guard value < 9_007_199_254_740_992, let whole = Int64(exactly: value) else {
            return Double(digits).map { $0 * power(exponent) }
        }
        return Double("\(node.isTrue("NS.negative") ? "-" : "")\(whole)e\(exponent)")
    }

    private static func power(_ exponent: Int64) -> Double { Double("1e\(exponent)") ?? 0 }
}
