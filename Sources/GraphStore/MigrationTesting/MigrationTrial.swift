import GraphModel

/// How a store came through a migration to the newest version of its model.
public struct MigrationTrial: Sendable, Hashable, CustomStringConvertible {
    /// The place of the version that the store was of, counted from 0; nil where it is of none.
    public private(set) var version: Int?
    /// What the store was made of; nil of a store that was given.
    public let seed: UInt64?
    /// The stages that were done.
    public internal(set) var stages: [ModelHistory.Stage] = []
    /// The objects before the migration, by their concrete entities.
    public internal(set) var before: [String: EntityDigest] = [:]
    /// The objects behind it, by their concrete entities.
    public internal(set) var after: [String: EntityDigest] = [:]
    /// What is wrong, a sentence each: why it failed, hashes that are not the model's, and what
    /// `PersistentContainer.verify` finds that it did not find before.
    public internal(set) var problems: [String] = []
    private var title = ""

    init(_ history: ModelHistory, from version: Int?, seed: UInt64?) {
        self.seed = seed
        setVersion(version, in: history)
    }

    /// Whether nothing is wrong.
    public var isSound: Bool { problems.isEmpty }

    mutating func setVersion(_ version: Int?, in history: ModelHistory) {
        // One that differs only in what hashes leave out stays what it was made of.
        self.version = self.version ?? version
        let name = self.version.map { Self.name($0, history) } ?? "a store of no version"
        title = "\(name) to \(Self.name(history.versions.count - 1, history))"
        if let seed { title += ", seed \(seed)" }
    }

    private static func name(_ place: Int, _ history: ModelHistory) -> String {
        guard history.versions.indices.contains(place) else { return "no version" }
        return history.versions[place].versionIdentifiers.first { !$0.isEmpty }
            ?? "version \(place + 1)"
    }

    /// What it was, a line for each entity before (`-`) and behind (`+`) with its number of objects
    /// and the digest of their values, and what is wrong (`!`).
    ///
    /// ```
    /// tasks-1 to tasks-2, seed 1
    /// - Task 20 5f0c1d2e3a4b5968
    /// + Todo 20 0b1c2d3e4f5a6978
    /// ```
    public var description: String {
        let lines =
            [title] + Self.lines("-", before) + Self.lines("+", after)
            + problems.map { "! \($0)" }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ sign: String, _ entities: [String: EntityDigest]) -> [String] {
        entities.sorted { $0.key < $1.key }.map { name, digest in
            "\(sign) \(name) \(digest.count) \(digest.text)"
        }
    }
}
