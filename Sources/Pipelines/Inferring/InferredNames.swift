import Diagnostics
import GraphModel

/// Names of entities and properties, from those of files and fields, by simple rules.
enum InferredNames {
    private static let people = ["people": "person", "children": "child", "men": "man"]
    private static let same: Set<String> = ["series", "species", "news", "data", "metadata"]
    private static let endings = ["movies": "movie", "cookies": "cookie", "statuses": "status"]

    /// `Tasks` for `in/tasks-2024-05-01.ndjson.gz`; a name is never made singular or plural.
    static func entity(ofFile path: String) -> String {
        var name = PathText.lastComponent(path)
        while case let stem = PathText.withoutSuffix(name), stem.utf8.count < name.utf8.count {
            name = stem
        }
        var words = words(name)
        // What a feed puts behind the name: a day, a number, a part.
        while words.count > 1, isNumber(words[words.count - 1]) {
            words.removeLast()
            if words.count > 2, words.last == "of", isNumber(words[words.count - 2]) {
                words.removeLast()
            }
        }
        return entity(ofWords: words)
    }

    private static func isNumber(_ word: String) -> Bool { word.allSatisfy(\.isNumber) }

    /// Whether two names of entities are one but for case.
    static func isSame(_ one: String, _ other: String) -> Bool { folded(one) == folded(other) }

    /// `Tags` for `tags`.
    static func entity(ofField name: String) -> String { entity(ofWords: words(name)) }

    private static func entity(ofWords words: [String]) -> String {
        let name = words.map(capitalized).joined()
        guard let first = name.unicodeScalars.first else { return "Record" }
        return first.properties.isAlphabetic ? name : "Record" + name
    }

    /// `createdAt` for `created_at`, `artistId` for `ArtistId`, `id` for `ID`.
    static func property(_ path: [String]) -> String {
        let words = path.flatMap(words)
        guard let first = words.first else { return "field" }
        let name = lowered(first) + words.dropFirst().map(capitalized).joined()
        return name.unicodeScalars.first?.properties.isAlphabetic == true ? name : "field" + name
    }

    /// The runs of letters and digits in a name.
    private static func words(_ name: String) -> [String] {
        name.unicodeScalars.split { scalar in
            !(scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        }.map { String(String.UnicodeScalarView($0)) }
    }

    static func capitalized(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    /// A word without the capitals it begins with: `URLPath` gives `urlPath`.
    static func lowered(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }
        guard capitals.count > 1 else {
            return capitals.lowercased() + word.dropFirst(capitals.count)
        }
        let rest = word.dropFirst(capitals.count)
        guard rest.first?.isLetter == true else { return capitals.lowercased() + rest }
        return capitals.dropLast().lowercased() + capitals.suffix(1) + rest
    }

    /// `task` for `tasks`, `category` for `categories`, `box` for `boxes`; for comparing names.
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

    /// Names, folded, of references to another one of the same kind.
    private static let ownKind: Set<String> = [
        "parent", "reportsto", "manager", "boss", "supervisor", "mentor", "replyto", "inreplyto",
        "referredby", "invitedby", "original", "duplicateof", "supersedes", "previous", "next",
        "predecessor", "successor", "dependson", "blockedby",
    ]

    /// The same with the entity's name behind it, such as `rootTicket`; alone they may mean anything.
    private static let ownKindOfEntity: Set<String> = [
        "root", "master", "main", "linked", "related", "source", "origin", "duplicate", "copyof",
        "replaces", "replacedby", "mergedinto", "supersededby", "follows",
    ]

    /// Whether a folded name, perhaps with `id` behind it, is that of such a reference.
    ///
    /// - Parameter entities: the folded names of the entity, which may stand behind the word.
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

    /// `order-items` for `OrderItems`, as stages are called.
    static func stage(ofEntity name: String) -> String {
        var text = ""
        var before: Character = "-"
        for character in lowered(name) {
            if character.isUppercase, !before.isUppercase, before != "-" { text += "-" }
            text += character.lowercased()
            before = character
        }
        // A stage's name also names files.
        let plain = text.unicodeScalars.filter {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
        }
        guard !plain.isEmpty, plain.count == text.unicodeScalars.count else { return "records" }
        return String(String.UnicodeScalarView(plain.prefix(50)))
    }

    /// The words of a name, also those of camel case: `support`, `rep`, `id` of `SupportRepId`.
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

    /// Returns the name that is the wanted one, or differs by case, separators, or plural only.
    static func match(_ wanted: String, _ names: [String]) -> String? {
        if names.contains(wanted) { return wanted }
        let folded = folded(wanted)
        if let name = names.first(where: { self.folded($0) == folded }) { return name }
        let single = self.folded(singular(wanted))
        return names.first { self.folded(singular($0)) == single }
    }

    /// The attribute that identifies a record by all of its fields.
    static let rowKey = "rowKey"

    /// A name without case and separators: `category_id` and `CategoryId` give `categoryid`.
    static func folded(_ name: String) -> String { words(name).joined().lowercased() }
}

/// The names that are taken, as a store's columns tell them apart.
struct TakenNames {
    private var taken: Set<String> = []

    /// Nothing is taken.
    init() {}

    /// These names are taken.
    init(_ names: some Sequence<String>) { taken = Set(names.map { $0.uppercased() }) }

    /// The name, with a number behind it where another has it.
    mutating func claim(_ name: String) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(candidate.uppercased()).inserted {
            candidate = "\(name)\(number)"
            number += 1
        }
        return candidate
    }

    /// A property's name; one that means something else gets the entity's before it.
    mutating func claim(property name: String, of entity: String) -> String {
        guard PropertyNames.isReserved(name) else { return claim(name) }
        return claim(InferredNames.lowered(entity) + InferredNames.capitalized(name))
    }
}
