internal import Synchronization
internal import _StringProcessing

/// The ranges of scalars of Unicode scripts.
///
/// The standard library exposes scripts only through `Regex`, which takes about 14 µs for a string
/// of one scalar. So a table is built once per script and process, in about 0.1 s, by one search
/// through all scalars.
enum ScriptTable {
    private static let tables = Mutex<[String: ScalarTest]>([:])

    /// Returns the test of a script's scalars, or `nil` if there is no script of that name.
    ///
    /// - Parameter isExtended: Whether the scalars that the script shares with others count, too
    ///   (`Script_Extensions`).
    static func test(_ name: String, isExtended: Bool) -> ScalarTest? {
        let isName = name.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || ($0 | 0x20) &- 0x61 < 26
        }
        guard isName else { return nil }
        let property = (isExtended ? "scx=" : "sc=") + ScalarProperty.key(name)
        return tables.withLock { tables in
            if let known = tables[property] { return known }
            // Only an unknown script makes this expression invalid.
            guard let expression = try? Regex("\\p{\(property)}+") else { return nil }
            let test = ScalarTest.ranges(ranges(of: expression.matchingSemantics(.unicodeScalar)))
            tables[property] = test
            return test
        }
    }

    private static func ranges(of expression: Regex<AnyRegexOutput>) -> [ClosedRange<UInt32>] {
        // All other scalars are private or unassigned, so that their script is that of U+3FFFF.
        let assigned: [ClosedRange<UInt32>] = [0...0x3FFFF, 0xE0000...0xE01FF]
        var scalars = String.UnicodeScalarView()
        for range in assigned {
            scalars.append(contentsOf: range.lazy.compactMap(Unicode.Scalar.init))
        }
        let text = String(scalars)
        var ranges: [ClosedRange<UInt32>] = []
        for match in text.ranges(of: expression) {
            for scalar in text.unicodeScalars[match] {
                if let last = ranges.last, last.upperBound + 1 == scalar.value {
                    ranges[ranges.count - 1] = last.lowerBound...scalar.value
                } else {
                    ranges.append(scalar.value...scalar.value)
                }
            }
        }
        if ranges.contains(where: { $0.contains(0x3FFFF) }) {
            ranges += [0x40000...0xDFFFF, 0xE0200...0x10FFFF]
        }
        return ranges
    }
}
