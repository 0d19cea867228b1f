import GraphModel

/// The SQL of an app's triggers, translated to the new numbers of entities.
///
/// Only numbers change: in `Z_ENT = 3` and `Z_ENT IN (3, 4)`, in the second argument of the
/// framework's own functions, and in names such as `Z3_OWNER` and `Z_8ITEMS`. A statement with a
/// number that may refer to another entity is not translated.
struct TriggerText {
    private enum Token: Equatable {
        case word(String)
        case number(String)
        case text(String)
        case other(String)

        var sql: String {
            switch self {
            case .word(let sql), .number(let sql), .text(let sql), .other(let sql): sql
            }
        }
    }

    private static let functionPrefix = "NSCoreData"
    /// The new number for each old one, except for removed entities.
    private let numbers: [Int64: Int64]
    /// New names for old ones; `nil` if the new name is ambiguous.
    private let names: [String: String?]
    /// Quoted words that have another meaning now.
    private let changedWords: Set<String>
    /// Whether the number of any entity changes.
    let isRenumbering: Bool
    private let old: StoreLayout
    private let new: StoreLayout

    init(_ script: MigrationScript) {
        var numbers: [Int64: Int64] = [:]
        // A name that is also a table's name is ambiguous in a trigger.
        let tables = Set((script.old.entities + script.new.entities).map(\.table))
        var names: [String: String?] = [:]
        var changed: Set<String> = []
        for old in script.old.entities {
            guard let name = script.pairing.newName(of: old.name),
                let new = script.new.entity(named: name)
            else {
                changed.insert(old.name)
                continue
            }
            numbers[old.number] = new.number
            if name != old.name { changed.insert(old.name) }
            let relationships = script.pairing.relationships(of: name, from: old.name)
            for (next, partner) in relationships {
                Self.pair(old, partner.name, new, next, tables, &names)
            }
        }
        old = script.old
        new = script.new
        self.numbers = numbers
        self.names = names
        changedWords = changed
        isRenumbering = script.old.entities.contains { numbers[$0.number] != $0.number }
    }

    /// Records the new names of a relationship's columns and table.
    private static func pair(
        _ old: StoreLayout.Entity, _ name: String, _ new: StoreLayout.Entity, _ next: String,
        _ tables: Set<String>, _ names: inout [String: String?]
    ) {
        func note(_ before: String?, _ after: String?) {
            guard let before, let after else { return }
            let isClear =
                (before == after || !tables.contains(before))
                && (names[before].map { $0 == after } ?? true)
            names.updateValue(isClear ? after : nil, forKey: before)
        }
        if let before = old.toOnes[name]?.columns, let after = new.toOnes[next]?.columns {
            note(before.entityColumn, after.entityColumn)
            note(before.orderColumn, after.orderColumn)
        }
        switch (old.toManys[name], new.toManys[next]) {
        case (.foreignKey(let before)?, .foreignKey(let after)?):
            note(before.column, after.column)
            note(before.entityColumn, after.entityColumn)
            note(before.orderColumn, after.orderColumn)
        case (.joinTable(let before)?, .joinTable(let after)?):
            note(before.table, after.table)
            note(before.ownerColumn, after.ownerColumn)
            note(before.destinationColumn, after.destinationColumn)
            note(before.orderColumn, after.orderColumn)
        default: break
        }
    }

    /// Returns the statement for the new store; `nil` if the translation is ambiguous.
    func translated(_ sql: String) -> String? {
        var result = ""
        var entities: Set<Int64> = []
        /// The tokens so far, without whitespace.
        var before: [String] = []
        /// For each open parenthesis, whether it contains entities, and the number of commas.
        var open: [(holdsEntities: Bool, isOurs: Bool, commas: Int)] = []
        for token in Self.tokens(sql) {
            switch token {
            case .word(let word):
                guard let name = renamed(word) else { return nil }
                result += name
            case .number(let digits):
                let isEntity =
                    open.last.map { $0.holdsEntities || ($0.isOurs && $0.commas == 1) } ?? false
                    || before.suffix(2) == ["Z_ENT", "="]
                guard let value = Int64(digits) else {
                    // A fraction is not an entity number.
                    result += digits
                    break
                }
                if isEntity {
                    guard let number = numbers[value] else { return nil }
                    entities.insert(value)
                    result += String(number)
                } else {
                    guard !isRenumbering || value <= 1 else { return nil }
                    result += digits
                }
            case .text(let quoted):
                let word = String(quoted.dropFirst().dropLast())
                guard !changedWords.contains(word), !(isRenumbering && word == "Z_ENT") else {
                    return nil
                }
                result += quoted
            case .other(let sign):
                if sign == "(" {
                    open.append(
                        (
                            before.suffix(2) == ["Z_ENT", "IN"],
                            before.last?.hasPrefix(Self.functionPrefix.uppercased()) ?? false, 0
                        ))
                } else if sign == ")" {
                    _ = open.popLast()
                } else if sign == ",", !open.isEmpty {
                    open[open.count - 1].commas += 1
                }
                result += sign
            }
            let sign = token.sql.uppercased()
            if !sign.allSatisfy(\.isWhitespace) {
                // Any other condition on an entity number may have another meaning after
                // renumbering.
                guard !isRenumbering || before.last != "Z_ENT" || ["=", "IN"].contains(sign) else {
                    return nil
                }
                // `==` is two tokens here; treat it as one.
                if !(sign == "=" && before.last == "=") { before.append(sign) }
            }
        }
        return entities.allSatisfy { hasSameFamily($0, among: entities) } ? result : nil
    }

    /// Returns whether a statement that names entities includes all new descendants of an entity.
    private func hasSameFamily(_ number: Int64, among entities: Set<Int64>) -> Bool {
        guard let before = old.entity(number: number),
            let after = numbers[number].flatMap(new.entity(number:))
        else { return false }
        let named = Set(entities.compactMap { numbers[$0] })
        let known = Set(before.familyNumbers.compactMap { numbers[$0] })
        return after.familyNumbers.allSatisfy { named.contains($0) || known.contains($0) }
    }

    /// Returns a name with its number in the new store; `nil` if the number is ambiguous.
    private func renamed(_ word: String) -> String? {
        if let name = names[word] { return name }
        let rest = word.hasPrefix("Z_") ? word.dropFirst(2) : word.dropFirst()
        guard word.hasPrefix("Z"), rest.first?.isNumber == true, isRenumbering else { return word }
        return nil
    }

    /// Returns the columns whose updates fire a trigger, as in `AFTER UPDATE OF ZNAME, ZAGE ON
    /// ZPERSON`.
    ///
    /// The result is empty if updates of any column fire it.
    static func awaitedColumns(_ sql: String) -> [String] {
        var columns: [String] = []
        var before: [String] = []
        for token in tokens(sql) {
            if case .other = token { continue }
            let word = token.sql.uppercased()
            if word == "ON" || word == "BEGIN" { break }
            if before.contains("OF") {
                columns.append(token.sql.filter { $0 != "\"" && $0 != "'" })
            }
            if word != "OF" || before.last == "UPDATE" { before.append(word) }
        }
        return columns
    }

    private static func tokens(_ sql: String) -> [Token] {
        let bytes = Array(sql.utf8)
        func isLetter(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || byte >= 0x80
                || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
        }
        func isDigit(_ byte: UInt8) -> Bool {
            byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        }
        var tokens: [Token] = []
        var place = 0
        func text(_ from: Int, _ to: Int) -> String {
            String(decoding: bytes[from..<to], as: UTF8.self)
        }
        while place < bytes.count {
            let start = place
            let byte = bytes[place]
            place += 1
            if isLetter(byte) {
                while place < bytes.count, isLetter(bytes[place]) || isDigit(bytes[place]) {
                    place += 1
                }
                tokens.append(.word(text(start, place)))
            } else if isDigit(byte) {
                while place < bytes.count,
                    isLetter(bytes[place]) || isDigit(bytes[place])
                        || bytes[place] == UInt8(ascii: ".")
                {
                    place += 1
                }
                tokens.append(.number(text(start, place)))
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                while place < bytes.count, bytes[place] != byte { place += 1 }
                place = min(place + 1, bytes.count)
                tokens.append(.text(text(start, place)))
            } else {
                tokens.append(.other(text(start, place)))
            }
        }
        return tokens
    }
}
