/// Detects numbers of tables that have a decimal comma or groups of three digits.
struct NumberForms {
    /// A format of the numbers of a column.
    struct Form: Equatable {
        var decimal: Character = "."
        var thousands: Character?
    }

    private var mayBeComma = true
    private var mayBePoint = true
    private var hasFractions = false
    private var hasGroups = false
    /// Whether a number is valid only with a decimal comma; `provesPoint` is the counterpart.
    private var provesComma = false
    private var provesPoint = false
    private var digitsMax = 0
    private(set) var scaleMax = 0
    /// Counts the values that are such numbers and the values that are not.
    var near = NearType()
    /// The first number that has a comma or a point.
    private(set) var example = ""
    private var hasCommas = false
    private var hasPoints = false
    /// Whether a mark occurs twice in a number, so that it groups digits.
    private var repeatsMark = false

    /// - Returns: whether the value is the first one that is not a number.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard near.isOpen, mayBeComma || mayBePoint else { return false }
        let comma = UInt8(ascii: ",")
        let point = UInt8(ascii: ".")
        let asComma = mayBeComma ? Self.parts(bytes, decimal: comma, group: point) : nil
        let asPoint = mayBePoint ? Self.parts(bytes, decimal: point, group: comma) : nil
        guard let parts = asComma ?? asPoint else { return near.add(bytes, isOfType: false) }
        _ = near.add(bytes, isOfType: true)
        if asComma == nil { mayBeComma = false }
        if asPoint == nil { mayBePoint = false }
        if parts.groups > 0 || parts.scale > 0 {
            if example.isEmpty { example = String(decoding: bytes, as: UTF8.self) }
            if bytes.contains(comma) { hasCommas = true }
            if bytes.contains(point) { hasPoints = true }
            if parts.groups > 1 { repeatsMark = true }
        }
        digitsMax = max(digitsMax, parts.digits)
        scaleMax = max(scaleMax, parts.scale)
        if parts.groups > 0 { hasGroups = true }
        if parts.scale > 0 { hasFractions = true }
        if (asComma == nil) != (asPoint == nil), parts.groups > 0 || parts.scale > 0 {
            if asComma == nil { provesPoint = true } else { provesComma = true }
        }
        return false
    }

    /// The format that the values prove, if all of them are numbers with at most 15 digits.
    var proven: Form? { near.misfits == 0 ? likely : nil }

    /// The format that the numbers prove, even if other values are not numbers.
    var likely: Form? {
        guard digitsMax <= 15 else { return nil }
        if mayBeComma, provesComma, hasFractions || repeatsMark {
            return Form(decimal: ",", thousands: hasGroups ? "." : nil)
        }
        return mayBePoint && provesPoint && hasGroups ? Form(thousands: ",") : nil
    }

    /// The mark that may group digits or begin a fraction; the values prove neither.
    ///
    /// Exactly three digits follow it in every number.
    var openMark: Character? {
        guard near.misfits == 0, mayBeComma, mayBePoint, digitsMax <= 15, hasCommas != hasPoints
        else { return nil }
        return hasCommas ? "," : "."
    }

    private struct Parts {
        var digits = 0
        var groups = 0
        var scale = 0
    }

    /// Parses `-?1.234.567,89`; returns `nil` for other text and for leading zeros.
    private static func parts(
        _ bytes: UnsafeBufferPointer<UInt8>, decimal: UInt8, group: UInt8
    ) -> Parts? {
        var parts = Parts()
        var run = 0
        var isFraction = false
        let start = bytes.first == UInt8(ascii: "-") ? 1 : 0
        guard bytes.count > start else { return nil }
        if bytes[start] == 48, bytes.count > start + 1, bytes[start + 1] != decimal { return nil }
        for byte in bytes[start...] {
            switch byte {
            case 48...57:
                run += 1
                parts.digits += 1
            case group where !isFraction:
                guard parts.groups == 0 ? (1...3).contains(run) : run == 3 else { return nil }
                parts.groups += 1
                run = 0
            case decimal where !isFraction:
                guard run > 0, parts.groups == 0 || run == 3 else { return nil }
                isFraction = true
                run = 0
            default: return nil
            }
        }
        guard run > 0, isFraction || parts.groups == 0 || run == 3 else { return nil }
        if isFraction { parts.scale = run }
        return parts
    }
}
