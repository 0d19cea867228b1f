import YAML

/// The keys of `budget`.
enum BudgetKeys {
    static let saveEvery = Key(
        "save-every", .integer(1...1_000_000_000), default: 10_000,
        """
        Number of records between two saves. A record that changes nothing in the store counts as \
        a tenth, and its bytes also count as a tenth. A save comes earlier if the previous ones show that more \
        records would fill half of the page cache, which is a part of `memory`.
        """, example: "5000")
    static let bytes = Key(
        "bytes", .size(), default: 8 << 20,
        "Uncompressed bytes of input between two saves. The limit that is reached first counts.",
        example: "1MiB")
    static let memory = Key(
        "memory", .size(), default: 256 << 20,
        """
        Maximum size of caches, maps, and queues, 32MiB or more. The process needs up to 48 MiB in \
        addition.
        """, example: "128MiB")
    static let time = Key(
        "time", .duration, without: "no limit",
        "After this time, the run saves and exits with 75; the next run resumes.", example: "30m")
    static let mapping = DescribedMapping(
        "budget", "Limits for the memory and the time of a run, and the interval between saves.",
        keys: [saveEvery, bytes, memory, time])
}

/// The limits on the work between two saves, and on memory and time.
package struct BudgetSpec: Sendable, Hashable {
    /// The minimum of `memory`.
    package static let memoryMin = 32 << 20

    /// The number of records between two saves.
    package var saveEvery = BudgetKeys.saveEvery.default
    /// The uncompressed bytes of input between two saves.
    package var bytes = BudgetKeys.bytes.default
    /// The limit of caches, maps, and queues in bytes; the process needs up to 48 MiB in addition.
    package var memory = BudgetKeys.memory.default
    /// The number of seconds after which a run saves and stops.
    package var timeSeconds: Int64?
}

extension BudgetSpec {
    /// Reads the key `budget`.
    init(_ keys: KeyedMapping) {
        self.init(
            saveEvery: keys[BudgetKeys.saveEvery], bytes: keys[BudgetKeys.bytes],
            memory: keys[BudgetKeys.memory], timeSeconds: keys[BudgetKeys.time])
        guard memory < Self.memoryMin else { return }
        keys.source(of: BudgetKeys.memory)?.fail(
            "range", "'memory' must be at least 32MiB, which a load cannot do without",
            fix: "raise it, or leave it out for 256MiB")
    }
}
