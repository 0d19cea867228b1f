/// Detects numbers of tables that have a decimal comma or groups of three digits.
struct NumberForms {
    /// A format of the numbers of a column.
    struct Form: Equatable {
        var decimal: Character = "."
        var thousands: Character?
    }

    /// What is known about a column's numbers if they are read with one of the two decimal marks.
    private struct Reading {
        /// Whether every number so far is valid with this decimal mark.
        var mayBe = true
        /// Whether at least one number is valid with this decimal mark and not with the other, such
        /// as `1,5` with the comma.
        var proves = false
        var hasFractions = false
        var hasGroups = false
        /// Whether a number has several groups, so that its mark is not a decimal one.
        var repeatsMark = false
        var scaleMax = 0

        mutating func add(_ parts: Parts?, besides other: Parts?) {
            guard let parts else { return mayBe = false }
            scaleMax = max(scaleMax, parts.scale)
            if parts.groups > 0 { hasGroups = true }
            if parts.groups > 1 { repeatsMark = true }
            if parts.scale > 0 { hasFractions = true }
            if other == nil { proves = true }
        }
    }

    /// A number in the input, with its file and line.
    struct Example: Equatable {
        var text: String
        var place = ""
    }

    private var comma = Reading()
    private var point = Reading()
    private var digitsMax = 0
    /// The number of values that are numbers in any format, and of those that are not.
    private(set) var near = NearType()
    private var hasCommas = false
    private var hasPoints = false
    /// The first number whose value depends on the decimal mark, such as `1.125`.
    private(set) var open: Example?
    /// The first number that is valid only with a decimal comma, such as `1,5`.
    private(set) var withComma: Example?
    /// The first number that is valid only with a decimal point, such as `2.25`.
    private(set) var withPoint: Example?

    /// Adds a value of the column, as its bytes.
    ///
    /// - Returns: Whether the caller must pass the position of this value to `place(_:)`, because
    ///   it is the first of its kind.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard near.isOpen else { return false }
        let asComma = Self.parts(bytes, decimal: Self.commaByte, group: Self.pointByte)
        let asPoint = Self.parts(bytes, decimal: Self.pointByte, group: Self.commaByte)
        guard let parts = asComma ?? asPoint else { return near.add(bytes, isOfType: false) }
        let isOfForm = comma.mayBe && asComma != nil || point.mayBe && asPoint != nil
        var isNew = near.add(bytes, isOfType: isOfForm)
        if parts.groups > 0 || parts.scale > 0, note(bytes, asComma != nil, asPoint != nil) {
            isNew = true
        }
        guard isOfForm else { return isNew }
        digitsMax = max(digitsMax, parts.digits)
        let hasMark = parts.groups > 0 || parts.scale > 0
        comma.add(comma.mayBe ? asComma : nil, besides: hasMark ? asPoint : parts)
        point.add(point.mayBe ? asPoint : nil, besides: hasMark ? asComma : parts)
        return isNew
    }

    private static let commaByte = UInt8(ascii: ",")
    private static let pointByte = UInt8(ascii: ".")

    /// Notes the marks of a number.
    ///
    /// - Returns: whether the number is the first of its kind.
    private mutating func note(
        _ bytes: UnsafeBufferPointer<UInt8>, _ isComma: Bool, _ isPoint: Bool
    ) -> Bool {
        if bytes.contains(Self.commaByte) { hasCommas = true }
        if bytes.contains(Self.pointByte) { hasPoints = true }
        let kind: WritableKeyPath<NumberForms, Example?> =
            isComma && isPoint ? \.open : isComma ? \.withComma : \.withPoint
        guard self[keyPath: kind] == nil else { return false }
        self[keyPath: kind] = Example(text: String(decoding: bytes, as: UTF8.self))
        return true
    }

    /// Sets the position of the last value, if it is needed.
    mutating func place(_ place: String) {
        if near.wantsPlace { near.place = place }
        if open?.place == "" { open?.place = place }
        if withComma?.place == "" { withComma?.place = place }
        if withPoint?.place == "" { withPoint?.place = place }
    }

    /// The format that the values prove, if all of them are numbers with at most 15 digits.
    var proven: Form? { near.misfits == 0 ? likely : nil }

    /// The format that the numbers prove, even if other values are not numbers.
    var likely: Form? {
        guard digitsMax <= 15 else { return nil }
        if comma.mayBe, comma.proves, comma.hasFractions || comma.repeatsMark {
            return Form(decimal: ",", thousands: comma.hasGroups ? "." : nil)
        }
        return point.mayBe && point.proves && point.hasGroups ? Form(thousands: ",") : nil
    }

    /// The largest number of decimals in the likely format.
    var scaleMax: Int { likely?.decimal == "," ? comma.scaleMax : point.scaleMax }

    /// The mark that may group digits or begin a fraction; the values prove neither.
    ///
    /// Exactly three digits follow it in every number.
    var openMark: Character? {
        guard near.misfits == 0, comma.mayBe, point.mayBe, digitsMax <= 15, hasCommas != hasPoints
        else { return nil }
        return hasCommas ? "," : "."
    }

    /// The first number that has a comma or a point, if no number proves its format.
    var example: String { open?.text ?? "" }

    /// Returns the format in which a later import reads the numbers.
    ///
    /// The numbers decide between a decimal comma and a decimal point. If they do not, the format
    /// of the first import does. Its file may have had no number that was large enough for groups.
    ///
    /// - Parameter kept: the format of the first import.
    func form(keeping kept: Form) -> Form {
        let isKept = !isOther(than: kept.decimal)
        let isComma = (kept.decimal == ",") == isKept
        let hasGroups = isComma ? comma.hasGroups : point.hasGroups
        if isKept, kept.thousands != nil || !hasGroups { return kept }
        return Form(
            decimal: isComma ? "," : ".", thousands: hasGroups ? (isComma ? "." : ",") : nil)
    }

    /// Returns whether numbers prove another decimal mark than this one, and none proves this one.
    func isOther(than mark: Character) -> Bool {
        let (own, other) = mark == "," ? (withComma, withPoint) : (withPoint, withComma)
        return own == nil && other != nil
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
