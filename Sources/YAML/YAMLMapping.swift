package import Diagnostics

/// A mapping that is being read; it remembers which keys were asked for.
package final class YAMLMapping {
    /// The mapping as a value.
    package let value: YAMLValue
    private let entries: [YAMLEntry]
    private let positions: [String: Int]
    private var asked: [String] = []
    private var refused: Set<String> = []
    /// What was reported of keys that are missing.
    private var missing: [String: Diagnostic] = [:]
    /// The known keys that unknown ones turned out to be misspellings of, after `finish`.
    ///
    /// What they would have said is not known, so it is no mistake that it is missing elsewhere.
    package private(set) var misspelled: Set<String> = []

    init(_ value: YAMLValue, _ entries: [YAMLEntry]) {
        self.value = value
        self.entries = entries
        positions = Dictionary(
            entries.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Where the mapping begins.
    package var location: SourceLocation { value.location }

    /// The keys as they stand.
    package var keys: [String] { entries.map(\.key) }

    /// Whether the key is there; counts as asking for it.
    package func has(_ key: String) -> Bool {
        asked.append(key)
        return positions[key] != nil
    }

    /// The value of a key that may be missing.
    package func optional(_ key: String) -> YAMLValue? {
        asked.append(key)
        return positions[key].map { child(entries[$0]) }
    }

    /// The value of a key that must be there.
    package func required(_ key: String, fix: String? = nil) -> YAMLValue? {
        if let found = optional(key) { return found }
        miss(key, "The key '\(key)' is missing", fix: fix)
        return nil
    }

    /// Reports that a key is missing, unless one that is unknown turns out to be its misspelling.
    package func miss(_ key: String, _ message: String, fix: String? = nil) {
        value.fail("missing-key", message, fix: fix)
        missing[key] = value.problems.diagnostics.last
    }

    /// Every key with its value, for mappings whose keys are names; asks for all of them.
    package func all() -> [(key: String, keyLocation: SourceLocation, value: YAMLValue)] {
        asked.append(contentsOf: keys)
        return entries.map { ($0.key, place($0), child($0)) }
    }

    /// Where a key stands, or the mapping itself when it is missing.
    package func keyLocation(_ key: String) -> SourceLocation {
        positions[key].map { place(entries[$0]) } ?? location
    }

    /// Refuses a key that exists but has no meaning beside the others, where it stands.
    package func refuse(_ key: String, _ message: String, fix: String? = nil) {
        refused.insert(key)
        optional(key)?.fail("rule", message, fix: fix)
    }

    /// Reports every key that nobody asked for.
    package func finish() { finish(known: asked) }

    /// Reports every key that is not one of these, and was not refused already.
    ///
    /// - Parameter alternatives: keys that may be used instead of the required ones. The misspelling of
    ///   one of them counts for the keys that are missing without it.
    package func finish(known: [String], alternatives: [String] = []) {
        let unknown = entries.filter { !known.contains($0.key) && !refused.contains($0.key) }
        // One key too few and one too many, alike, are one mistake, whatever else is near.
        let replaced = unknown.count == 1 && missing.count == 1 ? Array(missing.keys) : []
        let isReplacing = replaced.first.map { isMeant($0, by: unknown[0].key) } == true
        let candidates = isReplacing ? replaced : known + alternatives
        for entry in unknown {
            // That its misspelling is unknown says that a key is missing, too.
            let key =
                isReplacing
                ? replaced.first : Suggestion.closest(to: entry.key, among: candidates)
            if let key {
                misspelled.insert(key)
                let replaced = known.contains(key) ? [key] : Array(missing.keys)
                for report in replaced.compactMap({ missing.removeValue(forKey: $0) }) {
                    value.problems.withdraw(report)
                }
            }
            let message =
                "The key '\(entry.key)' is unknown here"
                + (key.map { ". Did you mean '\($0)'?" } ?? "")
            value.problems.report(
                "\(value.problems.area).unknown-key", message, at: .source(place(entry)))
        }
    }

    /// Whether a key may be a misspelling, or the beginning, of another.
    private func isMeant(_ key: String, by word: String) -> Bool {
        let (start, whole) = (Array(word.lowercased().utf8), Array(key.lowercased().utf8))
        return !start.isEmpty && whole.starts(with: start)
            || Suggestion.closest(to: word, among: [key]) != nil
    }

    private func place(_ entry: YAMLEntry) -> SourceLocation {
        SourceLocation(
            file: value.problems.file, line: entry.keyMark.line, column: entry.keyMark.column,
            keyPath: YAMLKeyPath.path(location.keyPath, key: entry.key))
    }

    private func child(_ entry: YAMLEntry) -> YAMLValue {
        YAMLValue(
            entry.value, YAMLKeyPath.path(location.keyPath, key: entry.key), entry.key,
            value.problems)
    }
}
