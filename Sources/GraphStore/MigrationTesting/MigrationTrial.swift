import GraphModel

/// The result of migrating a store to the newest version of its model.
public struct MigrationTrial: Sendable, Hashable, CustomStringConvertible {
    /// The index of the store's version, counted from 0; `nil` if it is none of the versions.
    public private(set) var version: Int?
    /// The seed of the store; `nil` for an existing store.
    public let seed: UInt64?
    /// The completed stages.
    public internal(set) var stages: [ModelHistory.Stage] = []
    /// The objects before the migration, by concrete entity.
    public internal(set) var before: [String: EntityDigest] = [:]
    /// The objects after the migration, by concrete entity.
    public internal(set) var after: [String: EntityDigest] = [:]
    /// The problems, one sentence each.
    ///
    /// They are the error of a failed migration, hashes that differ from the model's, and new
    /// findings of `PersistentContainer.verify`.
    public internal(set) var problems: [String] = []
    private var title = ""

    init(_ history: ModelHistory, from version: Int?, seed: UInt64?) {
        self.seed = seed
        setVersion(version, in: history)
    }

    /// Whether there are no problems.
    public var isSound: Bool { problems.isEmpty }

    mutating func setVersion(_ version: Int?, in history: ModelHistory) {
        // Hashes cannot distinguish some versions, so a generated store keeps its known version.
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

    /// A text with the versions, the objects of each entity, and the problems.
    ///
    /// A line for an entity starts with `-` (before) or `+` (after) and contains its number of
    /// objects and the digest of their values. A line for a problem starts with `!`.
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
