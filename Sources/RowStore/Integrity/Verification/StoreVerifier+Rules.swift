import GraphModel
import SQLite

/// Checks of the model's validation rules.
extension StoreVerifier {
    /// Checks the values of the entity's own attributes against ranges, lengths, and patterns;
    /// updates that ignore the rules, and other programs, can violate them.
    mutating func checkRules(
        of entity: StoreLayout.Entity, _ model: ManagedObjectModel
    ) throws(StoreError) {
        let attributes = model.attributes(of: entity.name)
        for (name, place) in entity.attributes.sorted(by: { $0.key < $1.key })
        where place.declaringEntity == entity.name && has(place.column, in: entity.table) {
            guard let attribute = attributes.first(where: { $0.name == name }) else { continue }
            let validator = AttributeValidator(attribute)
            guard validator.hasRules else { continue }
            try guarding("\(entity.name).\(name)", of: entity.name) {
                verifier throws(StoreError) in
                try verifier.findBreaches(.rule, name, place, entity) {
                    validator.problem(with: $0)
                } message: {
                    $0.counting("value breaks", "values break") + " the model's rule: \($1)"
                }
            }
        }
    }

    /// Checks that exact decimals are valid and in canonical form; other texts would not be found
    /// by their number.
    mutating func checkDecimals(
        _ name: String, _ place: StoreLayout.AttributeColumn, _ entity: StoreLayout.Entity
    ) throws(StoreError) {
        try guarding("\(entity.name).\(name)", of: entity.name) { verifier throws(StoreError) in
            try verifier.findBreaches(.value, name, place, entity) { cell in
                guard cell.kind == .text else { return "it is not text" }
                let text = String(decoding: cell.bytes, as: UTF8.self)
                guard let number = ExactDecimal(cell.bytes), number.isStorable else {
                    return "'\(text)' is not a number"
                }
                return number.text == text ? nil : "'\(text)' should be '\(number.text)'"
            } message: {
                $0.counting("value is", "values are")
                    + " not in the canonical form of a Decimal: \($1)"
            }
        }
    }

    /// Checks for texts that are not valid UTF-8, as written by other programs; they cannot be
    /// exported.
    mutating func checkTexts(
        _ name: String, _ place: StoreLayout.AttributeColumn, _ entity: StoreLayout.Entity
    ) throws(StoreError) {
        switch place.attribute.type {
        case .string, .uri, .transformable, .undefined: break
        default: return
        }
        try guarding("\(entity.name).\(name)", of: entity.name) { verifier throws(StoreError) in
            try verifier.findBreaches(.value, name, place, entity) { cell in
                cell.kind == .text && !Self.isUTF8(cell.bytes) ? "it is not UTF-8" : nil
            } message: { count, _ in
                count.counting("value is", "values are") + " not valid UTF-8 text"
            }
        }
    }

    private static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Invalid bytes are replaced, so that the result differs.
        bytes.allSatisfy { $0 < 0x80 }
            || String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }

    private mutating func findBreaches(
        _ kind: StoreFinding.Kind, _ name: String, _ place: StoreLayout.AttributeColumn,
        _ entity: StoreLayout.Entity, problem: (BulkCell) -> String?,
        message: (Int, String) -> String
    ) throws(StoreError) {
        let rows = try SelectSQL(
            "Z_PK, t.\(place.column)", of: entity, alias: "t", isIndexed: false,
            where: ["t.\(place.column) IS NOT NULL"]
        ).prepare(on: connection)
        var count = 0
        var keys: [Int64] = []
        var first = ""
        while try rows.step() {
            guard let problem = problem(BulkCell(column: 1, of: rows)) else {
                continue
            }
            if count == 0 { first = problem }
            count += 1
            if keys.count < Self.keysMax { keys.append(rows.integer(0)) }
        }
        guard count > 0 else { return }
        note(
            kind, entity: entity.name, property: name, count: count, keys: keys,
            "\(entity.name).\(name): \(message(count, first))")
    }
}
