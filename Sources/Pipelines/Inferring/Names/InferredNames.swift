import Diagnostics
import GraphModel

/// Derives the names of entities and properties from those of files and fields by simple rules.
enum InferredNames {
    private static let people = ["people": "person", "children": "child", "men": "man"]
    private static let same: Set<String> = ["series", "species", "news", "data", "metadata"]
    private static let endings = ["movies": "movie", "cookies": "cookie", "statuses": "status"]

    /// Returns the entity name for a file, such as `Tasks` for `in/tasks-2024-05-01.ndjson.gz`.
    ///
    /// The name keeps its singular or plural form.
    static func entity(ofFile path: String) -> String {
        var name = PathText.lastComponent(path)
        while case let stem = PathText.withoutSuffix(name), stem.utf8.count < name.utf8.count {
            name = stem
        }
        var words = words(name)
        // Drops the suffix that a feed adds: a day, a number, or a part.
        while words.count > 1, isNumber(words[words.count - 1]) {
            words.removeLast()
            if words.count > 2, words.last == "of", isNumber(words[words.count - 2]) {
                words.removeLast()
            }
        }
        return entity(ofWords: words)
    }

    private static func isNumber(_ word: String) -> Bool { word.allSatisfy(\.isNumber) }

    /// Returns whether two entity names are equal except for case and separators.
    static func isSame(_ one: String, _ other: String) -> Bool { folded(one) == folded(other) }

    /// Returns the entity name for a field, such as `Tags` for `tags`.
    static func entity(ofField name: String) -> String { entity(ofWords: words(name)) }

    private static func entity(ofWords words: [String]) -> String {
        let name = words.map(capitalized).joined()
        guard let first = name.unicodeScalars.first else { return "Record" }
        return first.properties.isAlphabetic ? name : "Record" + name
    }

    /// Returns the property name for a path.
    ///
    /// For example, `createdAt` for `created_at`, `artistId` for `ArtistId`, and `id` for `ID`.
    static func property(_ path: [String]) -> String {
        let words = path.flatMap(words)
        guard let first = words.first else { return "field" }
        let name = lowered(first) + words.dropFirst().map(capitalized).joined()
        return name.unicodeScalars.first?.properties.isAlphabetic == true ? name : "field" + name
    }

    /// Returns the runs of letters and digits in a name.
    private static func words(_ name: String) -> [String] {
        name.unicodeScalars.split { scalar in
            !(scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        }.map { String(String.UnicodeScalarView($0)) }
    }

    static func capitalized(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    /// Returns a word with its leading capitals in lowercase, such as `urlPath` for `URLPath`.
    static func lowered(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }
        guard capitals.count > 1 else {
            return capitals.lowercased() + word.dropFirst(capitals.count)
        }
        let rest = word.dropFirst(capitals.count)
        guard rest.first?.isLetter == true else { return capitals.lowercased() + rest }
        return capitals.dropLast().lowercased() + capitals.suffix(1) + rest
    }

    /// Returns the singular of a word, for comparing names.
    ///
    /// For example, `task` for `tasks`, `category` for `categories`, and `box` for `boxes`.
    static func singular(_ word: String) -> String {
        let lower = word.lowercased()
        if let known = people[lower] ?? endings[lower] {
            return word.first?.isUppercase == true ? capitalized(known) : known
        }
        if same.contains(lower) { return word }
        for ending in ["ss", "us", "is"] where lower.hasSuffix(ending) { return word }
        if lower.hasSuffix("ies"), lower.count > 4 { return word.dropLast(3) + "y" }
        for ending in ["sses", "shes", "ches", "xes", "zzes"] where lower.hasSuffix(ending) {
            return String(word.dropLast(2))
        }
        return lower.hasSuffix("s") && lower.count > 1 ? String(word.dropLast()) : word
    }

    /// Returns what a plural of another language may be in the singular, folded.
    ///
    /// For example, `kunde` for `Kunden`, `land` for `Länder`, and `ciudad` for `Ciudades`. Most of
    /// the results are not words, so only values can prove a reference by such a name.
    ///
    /// - Parameter min: The minimum number of letters.
    static func foreignSingulars(_ word: String, min: Int) -> Set<String> {
        let folded = folded(word)
        let stems = ["en", "n", "e", "er", "s", "es"].filter(folded.hasSuffix).map {
            String(folded.dropLast($0.count))
        }.filter { $0.count >= min }
        let plain = stems.map { stem in
            String(stem.map { ["ä": "a", "ö": "o", "ü": "u"][$0] ?? $0 })
        }
        return Set(stems + plain)
    }

    /// The folded names of references to another object of the same entity.
    private static let ownKind: Set<String> = [
        "parent", "reportsto", "manager", "boss", "supervisor", "mentor", "replyto", "inreplyto",
        "referredby", "invitedby", "original", "duplicateof", "supersedes", "previous", "next",
        "predecessor", "successor", "dependson", "blockedby",
    ]

    /// The words that mean such a reference only before the entity's name, as in `rootTicket`.
    private static let ownKindOfEntity: Set<String> = [
        "root", "master", "main", "linked", "related", "source", "origin", "duplicate", "copyof",
        "replaces", "replacedby", "mergedinto", "supersededby", "follows",
    ]

    /// Returns whether a folded name, with or without `id` at the end, is such a reference.
    ///
    /// - Parameter entities: The folded names of the entity, which may follow the word.
    static func meansOwnKind(_ folded: String, of entities: some Sequence<String> = []) -> Bool {
        let names = folded.hasSuffix("id") ? [folded, String(folded.dropLast(2))] : [folded]
        return names.contains { name in
            ownKind.contains(name)
                || entities.contains { entity in
                    guard !entity.isEmpty, name.hasSuffix(entity) else { return false }
                    let word = String(name.dropLast(entity.count))
                    return ownKind.contains(word) || ownKindOfEntity.contains(word)
                }
        }
    }

    /// Returns the name of a stage, such as `order-items` for `OrderItems`.
    static func stage(ofEntity name: String) -> String {
        var text = ""
        var before: Character = "-"
        for character in lowered(name) {
            if character.isUppercase, !before.isUppercase, before != "-" { text += "-" }
            text += character.lowercased()
            before = character
        }
        // The name of a stage is also a file name.
        let plain = text.unicodeScalars.filter {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
        }
        guard !plain.isEmpty, plain.count == text.unicodeScalars.count else { return "records" }
        return String(String.UnicodeScalarView(plain.prefix(50)))
    }

    /// Returns the words of a name, including those in camel case.
    ///
    /// For example, `support`, `rep`, and `id` for `SupportRepId`.
    static func parts(_ name: String) -> [String] {
        var parts: [String] = []
        for word in words(name) {
            var part = ""
            let letters = Array(word)
            for (place, letter) in letters.enumerated() {
                let isNext =
                    letter.isUppercase && !part.isEmpty
                    && (part.last?.isUppercase == false
                        || place + 1 < letters.count && letters[place + 1].isLowercase)
                if isNext {
                    parts.append(part.lowercased())
                    part = ""
                }
                part.append(letter)
            }
            parts.append(part.lowercased())
        }
        return parts
    }

    /// Returns the name in a list that matches a wanted name.
    ///
    /// An equal name comes first, then a name that differs only by case, separators, or plural.
    static func match(_ wanted: String, _ names: [String]) -> String? {
        if names.contains(wanted) { return wanted }
        let folded = folded(wanted)
        if let name = names.first(where: { self.folded($0) == folded }) { return name }
        let single = self.folded(singular(wanted))
        return names.first { self.folded(singular($0)) == single }
    }

    /// The attribute that identifies a record by all of its fields.
    static let rowKey = "rowKey"

    /// Returns a name without case and separators: `categoryid` for `category_id` and `CategoryId`.
    static func folded(_ name: String) -> String { words(name).joined().lowercased() }
}

/// A set of used names, which ignores case as columns of a store do.
struct TakenNames {
    private var taken: Set<String> = []

    /// Creates an empty set.
    init() {}

    /// Creates a set of these names.
    init(_ names: some Sequence<String>) { taken = Set(names.map { $0.uppercased() }) }

    /// Returns and reserves the name, with a number added if it is already used.
    mutating func claim(_ name: String) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(candidate.uppercased()).inserted {
            candidate = "\(name)\(number)"
            number += 1
        }
        return candidate
    }

    /// Returns and reserves a property name; a reserved name gets the entity's name as a prefix.
    mutating func claim(property name: String, of entity: String) -> String {
        guard PropertyNames.isReserved(name) else { return claim(name) }
        return claim(InferredNames.lowered(entity) + InferredNames.capitalized(name))
    }
}
