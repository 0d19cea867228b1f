/// Finds the names of the unselected fields of a JSON record.
///
/// Used only for messages: it parses the record again, by names instead of slots.
package enum UnmappedFields {
    /// The maximum number of counted paths, so that a record of unselected fields needs little
    /// memory.
    package static let countMax = 10_000

    /// Returns the paths of fields that a selection does not contain, also inside objects with
    /// selected fields.
    ///
    /// - Parameter shownMax: The maximum number of paths to return.
    /// - Returns: The first paths in the order of the record, and the number of all.
    package static func names(
        in record: UnsafeBufferPointer<UInt8>, _ selection: FieldSelection, shownMax: Int
    ) -> (first: [String], count: Int) {
        guard let start = record.baseAddress else { return ([], 0) }
        let root = Wanted([])
        for path in selection.paths {
            root.add(path.steps)
            if let flat = path.flatSteps { root.add([.name(flat.name)] + flat.rest) }
        }
        var walk = Walk(end: start + record.count, shownMax: shownMax)
        _ = walk.value(start, root)
        return (walk.first, walk.count)
    }

    /// A field of the selection, or an object or list that contains one.
    private final class Wanted {
        let path: [FieldPath.Step]
        /// The members that lead to selected fields, by the bytes of their names.
        ///
        /// `String` cannot be the key, because it treats canonically equivalent names as equal.
        private(set) var members: [[UInt8]: Wanted] = [:]
        private(set) var elements: Wanted?
        /// The names of members found so far that lead to no selected field, so that each is
        /// counted once.
        var unmapped: Set<[UInt8]> = []

        init(_ path: [FieldPath.Step]) {
            self.path = path
        }

        func add(_ steps: [FieldPath.Step]) {
            var place = self
            for step in steps { place = place.inside(step) }
        }

        private func inside(_ step: FieldPath.Step) -> Wanted {
            switch step {
            case .name(let name):
                let key = Array(name.utf8)
                let member = members[key] ?? Wanted(path + [step])
                members[key] = member
                return member
            case .each:
                let each = elements ?? Wanted(path + [step])
                elements = each
                return each
            }
        }
    }

    private struct Walk {
        let end: UnsafePointer<UInt8>
        let shownMax: Int
        var first: [String] = []
        var count = 0
        var fault = JSONFault()

        init(end: UnsafePointer<UInt8>, shownMax: Int) {
            self.end = end
            self.shownMax = shownMax
        }

        /// Walks through a value on the path to a selected field, and notes the members beside that
        /// path.
        ///
        /// - Returns: the byte after the value; `nil` if the record is not valid JSON, or has too
        ///   many fields.
        mutating func value(
            _ start: UnsafePointer<UInt8>, _ place: Wanted
        ) -> UnsafePointer<UInt8>? {
            let position = JSONToken.skipSpace(start, end: end)
            guard position < end else { return nil }
            switch position.pointee {
            case UInt8(ascii: "{") where place.path.isEmpty || !place.members.isEmpty:
                return members(position + 1, of: place)
            case UInt8(ascii: "["):
                guard let inside = place.elements else { return skip(position) }
                return elements(position + 1, inside)
            default: return skip(position)
            }
        }

        private mutating func members(
            _ start: UnsafePointer<UInt8>, of place: Wanted
        ) -> UnsafePointer<UInt8>? {
            var position = JSONToken.skipSpace(start, end: end)
            while position < end, position.pointee == JSONToken.quote {
                let text = position + 1
                guard let close = JSONToken.closingQuote(text, end: end, fault: &fault) else {
                    return nil
                }
                let name = JSONToken.unescaped(text, count: close - text)
                position = JSONToken.skipSpace(close + 1, end: end)
                guard position < end, position.pointee == UInt8(ascii: ":") else { return nil }
                let member = place.members[name]
                if member == nil { note(name, in: place) }
                let next =
                    if let member { value(position + 1, member) } else { skip(position + 1) }
                guard let after = next, count < UnmappedFields.countMax else { return nil }
                position = JSONToken.skipSpace(after, end: end)
                guard position < end, position.pointee == UInt8(ascii: ",") else { break }
                position = JSONToken.skipSpace(position + 1, end: end)
            }
            return position < end ? position + 1 : nil
        }

        private mutating func elements(
            _ start: UnsafePointer<UInt8>, _ place: Wanted
        ) -> UnsafePointer<UInt8>? {
            var position = JSONToken.skipSpace(start, end: end)
            while position < end, position.pointee != UInt8(ascii: "]") {
                guard let next = value(position, place) else { return nil }
                position = JSONToken.skipSpace(next, end: end)
                guard position < end, position.pointee == UInt8(ascii: ",") else { break }
                position = JSONToken.skipSpace(position + 1, end: end)
            }
            return position < end ? position + 1 : nil
        }

        private func skip(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
            var position = JSONToken.skipSpace(start, end: end)
            guard position < end else { return nil }
            // The scanner does not find the end of a single number or literal.
            switch position.pointee {
            case UInt8(ascii: "{"), UInt8(ascii: "["), JSONToken.quote:
                // The record was validated, so its depth is allowed.
                var scanner = JSONScanner(depthMax: .max)
                return scanner.run(&position, end: end) == .done ? position : nil
            default:
                while position < end, position.pointee != UInt8(ascii: ","),
                    position.pointee != UInt8(ascii: "}"), position.pointee != UInt8(ascii: "]"),
                    !JSONToken.isSpace(position.pointee)
                {
                    position += 1
                }
                return position
            }
        }

        private mutating func note(_ name: [UInt8], in place: Wanted) {
            guard place.unmapped.insert(name).inserted else { return }
            count += 1
            guard first.count < shownMax else { return }
            let step = FieldPath.Step.name(String(decoding: name, as: UTF8.self))
            first.append(FieldPath.text(of: place.path + [step]))
        }
    }
}
