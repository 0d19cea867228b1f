package import Diagnostics

/// A mapping that is read key by key, so that `finish` can report keys that no reader requested.
package final class YAMLMapping {
    /// The mapping as a value.
    package let value: YAMLValue
    private let entries: [YAMLEntry]
    private let positions: [String: Int]
    private var asked: [String] = []
    private var rejected: Set<String> = []
    /// The reports of missing keys, by key, which `finish` withdraws if the key was misspelled.
    private var missing: [String: Diagnostic] = [:]
    /// The known keys that are misspelled in the file, available after `finish`.
    ///
    /// Their values are unknown, so readers must not report them as missing elsewhere.
    package private(set) var misspelled: Set<String> = []

    init(_ value: YAMLValue, _ entries: [YAMLEntry]) {
        self.value = value
        self.entries = entries
        positions = Dictionary(
            entries.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The beginning of the mapping.
    package var location: SourceLocation { value.location }

    /// The keys in the order of the file.
    package var keys: [String] { entries.map(\.key) }

    /// Returns whether a key exists, and marks it as requested.
    package func has(_ key: String) -> Bool {
        asked.append(key)
        return positions[key] != nil
    }

    /// Returns the value of an optional key.
    package func optional(_ key: String) -> YAMLValue? {
        asked.append(key)
        return positions[key].map { child(entries[$0]) }
    }

    /// Returns the value of a required key, and reports the key if it is missing.
    package func required(_ key: String, fix: String? = nil) -> YAMLValue? {
        if let found = optional(key) { return found }
        miss(key, "The key '\(key)' is missing", fix: fix)
        return nil
    }

    /// Reports a missing key; `finish` withdraws the report if an unknown key misspells it.
    package func miss(_ key: String, _ message: String, fix: String? = nil) {
        value.fail("missing-key", message, fix: fix)
        missing[key] = value.problems.diagnostics.last
    }

    /// Returns all keys with their values and marks them as requested, for keys that are names.
    package func all() -> [(key: String, keyLocation: SourceLocation, value: YAMLValue)] {
        asked.append(contentsOf: keys)
        return entries.map { ($0.key, place($0), child($0)) }
    }

    /// Returns the location of a key, or of the mapping if the key is missing.
    package func keyLocation(_ key: String) -> SourceLocation {
        positions[key].map { place(entries[$0]) } ?? location
    }

    /// Reports a key that exists but is not allowed with the other keys.
    package func reject(_ key: String, _ message: String, fix: String? = nil) {
        rejected.insert(key)
        optional(key)?.fail("rule", message, fix: fix)
    }

    /// Reports every key that was not requested.
    package func finish() { finish(known: asked) }

    /// Reports every unknown key that was not reported by `reject`.
    ///
    /// - Parameter alternatives: keys that can replace required ones. If an unknown key misspells
    ///   one of them, the reports of missing keys are withdrawn.
    package func finish(known: [String], alternatives: [String] = []) {
        let unknown = entries.filter { !known.contains($0.key) && !rejected.contains($0.key) }
        // One missing key and a similar unknown key are one mistake, even if another key is closer.
        let replaced = unknown.count == 1 && missing.count == 1 ? Array(missing.keys) : []
        let isReplacing = replaced.first.map { isMeant($0, by: unknown[0].key) } == true
        let candidates = isReplacing ? replaced : known + alternatives
        for entry in unknown {
            // The report of the misspelling replaces the report of the missing key.
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

    /// Returns whether an unknown key is probably a misspelling or a beginning of a known key.
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
