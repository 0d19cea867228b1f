import GraphModel

/// The date patterns, in addition to ISO 8601, that match all dates of a field.
struct DateForms {
    private struct Form {
        let text: String
        let pattern: DatePattern
        /// Whether the day is before the month; `nil` if the pattern is unambiguous.
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
                // All combinations are valid patterns.
                guard let pattern = try? DatePattern(parsing: text) else { return nil }
                return Form(text: text, pattern: pattern, isDayFirst: isDayFirst)
            }
        }
    }()

    /// The pattern of eight digits, which may also be a number.
    private static let digits = "yyyyMMdd"

    /// The indexes in `forms` of the patterns that match every date so far; `nil` before the first
    /// date.
    private var left: [Int]?
    /// The number of values that match a date pattern, and of those that match none.
    var near = NearType()

    /// Whether so few values are not dates that the field may still hold dates.
    var isOpen: Bool { near.isOpen }

    /// Adds a value.
    ///
    /// - Returns: Whether the value is the first one that is not a date.
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

    /// The pattern that the values prove; `nil` if there is none, or if day and month are
    /// ambiguous.
    var proven: String? {
        guard isWhole, !isAmbiguous, let first, first != Self.digits else { return nil }
        return first
    }

    /// Whether every value has eight digits that are a date.
    var isDigits: Bool { isWhole && first == Self.digits }

    /// Whether every value is a date, but day and month are ambiguous.
    var isAmbiguous: Bool { isWhole && hasTwoOrders }

    private var hasTwoOrders: Bool {
        Set((left ?? []).compactMap { Self.forms[$0].isDayFirst }).count > 1
    }

    /// The patterns with the day first and with the month first, if either may be right.
    var openPatterns: [String] {
        guard isAmbiguous else { return [] }
        let forms = (left ?? []).map { Self.forms[$0] }
        return [true, false].compactMap { isDayFirst in
            forms.first { $0.isDayFirst == isDayFirst }?.text
        }
    }

    /// The first pattern of the values that are dates; `nil` if day and month are ambiguous.
    ///
    /// A guess must not turn one date into another.
    var likely: String? { hasTwoOrders ? nil : first }

    /// The first pattern that matches all dates, proven or not.
    var first: String? { left?.first.map { Self.forms[$0].text } }
}
