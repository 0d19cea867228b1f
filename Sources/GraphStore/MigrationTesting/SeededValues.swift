import GraphModel

/// Values for the objects of stores that a seed tells.
///
/// A value depends on the seed, on the name of its attribute and on the number of its object, and on
/// nothing else, so that an attribute more or less changes no other's values.
struct SeededValues {
    /// What a value is drawn for.
    private struct Place {
        let stream: Int64
        let row: Int64

        /// A number, another one for each round.
        func draw(_ round: UInt64 = 0) -> UInt64 {
            Drawing.draw(stream: stream, row: row, round: round)
        }

        func number(below count: Int, _ round: UInt64 = 0) -> Int {
            Int(Drawing.place(draw(round), below: UInt64(max(1, count))))
        }
    }

    let seed: UInt64

    private func place(_ name: String, _ row: Int) -> Place {
        let drawing = Drawing(name: name, seed: Int64(bitPattern: seed), rowPath: [])
        return Place(stream: drawing.stream(0), row: Int64(row))
    }

    /// A number from 0 up to `count`.
    func number(below count: Int, for name: String, _ row: Int, round: UInt64 = 0) -> Int {
        place(name, row).number(below: count, round)
    }

    /// A value; nil leaves the object with what it starts with.
    ///
    /// - Parameters:
    ///   - name: the attribute with its entity.
    ///   - row: the object's number in its hierarchy.
    ///   - isUnique: no other object may have the value.
    func value(
        of attribute: AttributeDescription, named name: String, _ row: Int, isUnique: Bool
    ) -> StoredValue? {
        // Whoever knows the pattern says what matches it.
        guard attribute.pattern == nil else { return nil }
        let place = place(name, row)
        if !isUnique, attribute.isOptional || attribute.defaultValue != nil,
            place.number(below: 5) == 0
        {
            return nil
        }
        switch attribute.type {
        case .boolean: return .integer(Int64(isUnique ? row % 2 : place.number(below: 2, 1)))
        case .integer16, .integer32, .integer64:
            let number = step(attribute, place, row, isUnique, by: 1)
            // A double near the ends of the integers may be beyond them.
            return .integer(Int64(exactly: number) ?? (number < 0 ? .min : .max))
        // Quarters are the same in all kinds of numbers.
        case .decimal, .double, .float:
            return .real(step(attribute, place, row, isUnique, by: 0.25))
        case .date: return .real(step(attribute, place, row, isUnique, by: 60))
        case .string: return .text(text(attribute, place, row, isUnique))
        case .uri: return .text("https://example.com/\(row + 1)")
        case .uuid: return .blob(bytes(16, place))
        case .binary:
            // Some values have files of their own.
            let threshold = attribute.externalStorageThreshold ?? ExternalFiles.thresholdDefault
            let isLarge =
                attribute.allowsExternalBinaryDataStorage && place.number(below: 8, 1) == 0
            return .blob(bytes(isLarge ? threshold + 1 : 8, place))
        case .transformable: return .blob(Array("{\"number\":\(row + 1)}".utf8))
        case .composite, .undefined: return nil
        }
    }

    /// A number in the attribute's range, or near zero where it has none; one step more for each row
    /// where it must be unique.
    private func step(
        _ attribute: AttributeDescription, _ place: Place, _ row: Int, _ isUnique: Bool,
        by size: Double
    ) -> Double {
        let steps = 10_000
        // A date is one of the years from 2023.
        let usual = attribute.type == .date ? 700_000_000.0 : 0
        let range = attribute.range ?? NumberRange()
        let high = range.maximum ?? .infinity
        var low = range.minimum ?? min(usual, high - Double(steps) * size)
        if !low.isFinite { low = usual }
        // A whole number, also where the range begins between two.
        low = (low / size).rounded(.up) * size
        let room = min(Double(steps), max(0, ((high - low) / size).rounded(.down)))
        let count = isUnique ? row : place.number(below: Int(room) + 1, 1)
        return low + Double(count) * size
    }

    private func text(
        _ attribute: AttributeDescription, _ place: Place, _ row: Int, _ isUnique: Bool
    ) -> String {
        let low = Int(min(max(0, attribute.length?.minimum ?? 0), 1e6))
        let high = attribute.length?.maximum.map { Int(min($0, 1e6)) } ?? max(low, 40)
        func word(_ round: UInt64) -> String {
            Drawing.words[place.number(below: Drawing.words.count, round)]
        }
        // No two numbers end alike: one text of digits is no end of another behind a blank.
        let end = isUnique ? " \(String(row, radix: 36))" : ""
        var words = word(1)
        for round in 2..<UInt64(2 + place.number(below: 3, 5)) { words += " " + word(round + 5) }
        while words.utf8.count + end.utf8.count < low {
            words += " " + word(UInt64(words.utf8.count))
        }
        let room = high - end.utf8.count
        guard room > 0 else { return String(end.dropFirst().suffix(max(0, high))) }
        return words.prefix(room) + end
    }

    private func bytes(_ count: Int, _ place: Place) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for round in 0..<UInt64((count + 7) / 8) {
            withUnsafeBytes(of: place.draw(round).bigEndian) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }
}
