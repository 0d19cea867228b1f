import GraphModel

/// The ways to write dates that are looked for, besides ISO 8601, and which of them all values of a
/// field have in common.
struct DateForms {
    private struct Form {
        let text: String
        let pattern: DatePattern
        /// The day stands before the month, or behind it; nil where the form leaves no doubt.
        let isDayFirst: Bool?
    }

    private static let forms: [Form] = {
        let days: [(String, Bool?)] = [
            ("dd.MM.yyyy", nil), ("d.M.yyyy", nil), ("dd/MM/yyyy", true), ("MM/dd/yyyy", false),
            ("d/M/yyyy", true), ("M/d/yyyy", false), ("dd-MM-yyyy", true), ("MM-dd-yyyy", false),
            ("yyyy/MM/dd", nil), ("yyyyMMdd", nil),
        ]
        let times = ["", " HH:mm:ss", " HH:mm", " H:mm", " h:mm:ss a", " h:mm a"]
        return days.flatMap { day, isDayFirst in
            times.compactMap { time in
                let text = day + time
                guard let pattern = try? DatePattern(parsing: text) else { return nil }
                return Form(text: text, pattern: pattern, isDayFirst: isDayFirst)
            }
        }
    }()

    /// Digits alone, which may as well be a number.
    private static let digits = "yyyyMMdd"

    /// Those that every date so far is written in; nil before the first one.
    private var left: [Int]?
    /// The values that are such dates, and those that are none.
    var near = NearType()

    /// Whether there is any left.
    var isOpen: Bool { near.isOpen }

    /// - Returns: whether the value is the first one that is no date.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard isOpen else { return false }
        var found: [Int] = []
        if bytes.count >= 8, bytes.count <= 24, bytes[0] &- 48 <= 9 {
            found = (left ?? Array(Self.forms.indices)).filter {
                Self.forms[$0].pattern.parse(bytes) != nil
            }
        }
        if !found.isEmpty { left = found }
        return near.add(bytes, isOfType: !found.isEmpty)
    }

    /// Whether every value is a date.
    private var isWhole: Bool { near.misfits == 0 }

    /// The pattern that the values prove; nil where there is none, or where some day might as well
    /// be a month.
    var proven: String? {
        guard isWhole, !isAmbiguous, let first, first != Self.digits else { return nil }
        return first
    }

    /// Eight digits that all are days.
    var isDigits: Bool { isWhole && first == Self.digits }

    /// Nothing tells the day from the month, in dates alone.
    var isAmbiguous: Bool { isWhole && hasTwoOrders }

    private var hasTwoOrders: Bool {
        Set((left ?? []).compactMap { Self.forms[$0].isDayFirst }).count > 1
    }

    /// The patterns with the day first, and with the month first, if nothing tells which is right.
    var openPatterns: [String] {
        guard isAmbiguous else { return [] }
        let forms = (left ?? []).map { Self.forms[$0] }
        return [true, false].compactMap { isDayFirst in
            forms.first { $0.isDayFirst == isDayFirst }?.text
        }
    }

    /// The first pattern of the values that are dates; nil where some day might as well be a month:
    /// no guess may turn one date into another.
    var likely: String? { hasTwoOrders ? nil : first }

    /// The first pattern that all dates have, whether it is proven or not.
    var first: String? { left?.first.map { Self.forms[$0].text } }
}
