import GraphModel

/// A generator of attribute values from a seed.
///
/// A value depends only on the seed, the name of its attribute, and the number of its object.
/// Adding or removing an attribute therefore does not change the values of other attributes.
struct SeededValues {
    /// The attribute and the object that a value is drawn for.
    private struct Place {
        let stream: Int64
        let row: Int64

        /// Returns a random number, which differs for each round.
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

    /// Returns a number from 0 up to, but not including, `count`.
    func number(below count: Int, for name: String, _ row: Int, round: UInt64 = 0) -> Int {
        place(name, row).number(below: count, round)
    }

    /// Returns a value; `nil` leaves the object's initial value.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute with its entity.
    ///   - row: The object's number in its hierarchy.
    ///   - isUnique: Whether no other object may have the value.
    func value(
        of attribute: AttributeDescription, named name: String, _ row: Int, isUnique: Bool
    ) -> StoredValue? {
        // Only the caller can provide a value that matches the pattern.
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
            // A double near the limits of 64-bit integers may exceed them.
            return .integer(Int64(exactly: number) ?? (number < 0 ? .min : .max))
        // Quarters are exact in all number types.
        case .decimal, .double, .float:
            return .real(step(attribute, place, row, isUnique, by: 0.25))
        case .date: return .real(step(attribute, place, row, isUnique, by: 60))
        case .string: return .text(text(attribute, place, row, isUnique))
        case .uri: return .text("https://example.com/\(row + 1)")
        case .uuid: return .blob(bytes(16, place))
        case .binary:
            // Some values are in separate files.
            let threshold = attribute.externalStorageThreshold ?? ExternalFiles.thresholdDefault
            let isLarge =
                attribute.allowsExternalBinaryDataStorage && place.number(below: 8, 1) == 0
            return .blob(bytes(isLarge ? threshold + 1 : 8, place))
        case .transformable: return .blob(Array("{\"number\":\(row + 1)}".utf8))
        case .composite, .undefined: return nil
        }
    }

    /// Returns a number in the attribute's range, or near zero if no range is set.
    ///
    /// Unique numbers increase by one step for each row.
    private func step(
        _ attribute: AttributeDescription, _ place: Place, _ row: Int, _ isUnique: Bool,
        by size: Double
    ) -> Double {
        let steps = 10_000
        // Dates without a minimum start in March 2023.
        let usual = attribute.type == .date ? 700_000_000.0 : 0
        let range = attribute.range ?? NumberRange()
        let high = range.maximum ?? .infinity
        var low = range.minimum ?? min(usual, high - Double(steps) * size)
        if !low.isFinite { low = usual }
        // Round up to a multiple of the step size.
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
        // Unique suffixes: digits follow a space, so no suffix is the end of another.
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
