import SQLite

/// Remembers, for each row that a load changed, how far it is from what it was.
///
/// Every change adds (by exclusive or) a hash of what went and a hash of what came. When the sum
/// is zero again, the row is what it was before the load: later records with the same key undid
/// the earlier ones. So a record counts by its row's net change, whatever the batch size, in
/// 12 bytes a row.
///
/// Rows with neighbouring keys are kept together, and in a table for temporary data once all that
/// is known outgrows its memory.
struct NetChanges {
    private static let chunkSize: Int64 = 64
    /// 8 bytes of distance and 4 of writes a row.
    private static let chunkWords = 96
    /// With what the dictionary and the array take for themselves.
    private static let chunkBytes = chunkWords * 8 + 64

    private let spill: SpillTable
    private let chunksMax: Int
    /// A row's distances, then the numbers of writes, two a word.
    private var chunks: [Int64: [UInt64]] = [:]
    private var hasSpilled = false

    init(_ spill: SpillTable, memoryBytes: Int) {
        self.spill = spill
        chunksMax = max(1, memoryBytes / Self.chunkBytes)
    }

    /// The distance after another change, and how often the row was written so far.
    mutating func change(
        _ primaryKey: Int64, by difference: UInt64, writes: UInt32 = 1
    ) throws(SQLiteError) -> (UInt64, writes: UInt32) {
        let (number, place) = Self.position(primaryKey)
        try load(number)
        return withChunk(number) { chunk in
            chunk[place] ^= difference
            let (word, shift) = Self.writes(place)
            chunk[word] += UInt64(writes) << shift
            return (chunk[place], UInt32(truncatingIfNeeded: chunk[word] >> shift))
        }
    }

    /// The row's distance from what it was, and how often it was written.
    mutating func state(
        _ primaryKey: Int64
    ) throws(SQLiteError) -> (distance: UInt64, writes: UInt32) {
        let (number, place) = Self.position(primaryKey)
        try load(number)
        guard let chunk = chunks[number] else { return (0, 0) }
        let (word, shift) = Self.writes(place)
        return (chunk[place], UInt32(truncatingIfNeeded: chunk[word] >> shift))
    }

    /// Takes over what an earlier load knew of the row.
    mutating func set(
        _ primaryKey: Int64, _ distance: UInt64, writes: UInt32
    ) throws(SQLiteError) {
        let (number, place) = Self.position(primaryKey)
        try load(number)
        withChunk(number) { chunk in
            chunk[place] = distance
            Self.set(writes, place, in: &chunk)
        }
    }

    /// Whether the row differs from what it was before the load.
    mutating func isChanged(_ primaryKey: Int64) throws(SQLiteError) -> Bool {
        let (number, place) = Self.position(primaryKey)
        try load(number)
        return chunks[number].map { $0[place] != 0 } ?? false
    }

    /// Forgets the row, which is what it was.
    mutating func forget(_ primaryKey: Int64) throws(SQLiteError) {
        let (number, place) = Self.position(primaryKey)
        try load(number)
        withChunk(number) { Self.set(0, place, in: &$0) }
    }

    private static func position(_ primaryKey: Int64) -> (number: Int64, place: Int) {
        let (number, place) = primaryKey.quotientAndRemainder(dividingBy: chunkSize)
        return (number, Int(place))
    }

    /// Where the number of a row's writes is.
    private static func writes(_ place: Int) -> (word: Int, shift: UInt64) {
        (Int(chunkSize) + place / 2, UInt64(place & 1) * 32)
    }

    private static func set(_ writes: UInt32, _ place: Int, in chunk: inout [UInt64]) {
        let (word, shift) = Self.writes(place)
        chunk[word] = chunk[word] & ~(0xFFFF_FFFF << shift) | UInt64(writes) << shift
    }

    /// Makes sure that what is known of these rows is in memory, and makes room for it.
    private mutating func load(_ number: Int64) throws(SQLiteError) {
        guard chunks[number] == nil else { return }
        if chunks.count >= chunksMax {
            let kept = chunks.sorted { $0.key < $1.key }
            try spill.write(kept.lazy.map { ($0.key, $0.value.withUnsafeBytes { Array($0) }) })
            chunks.removeAll(keepingCapacity: true)
            hasSpilled = true
        }
        guard hasSpilled, let bytes = try spill.read(number) else { return }
        chunks[number] = [UInt64](unsafeUninitializedCapacity: Self.chunkWords) { words, count in
            UnsafeMutableRawBufferPointer(words).copyBytes(from: bytes)
            count = Self.chunkWords
        }
    }

    private mutating func withChunk<R>(_ number: Int64, _ body: (inout [UInt64]) -> R) -> R {
        body(&chunks[number, default: Array(repeating: 0, count: Self.chunkWords)])
    }
}

/// A set of primary keys, a bit each.
struct PrimaryKeySet {
    /// Larger keys are kept one by one: a bit for each would take more than 32 MiB.
    private static let limit: Int64 = 1 << 28

    private var bits = Bits()
    private var large: Set<Int64> = []

    private func isLarge(_ key: Int64) -> Bool { key < 0 || key >= Self.limit }

    /// Adds a key.
    ///
    /// - Returns: whether it was new.
    mutating func insert(_ key: Int64) -> Bool {
        isLarge(key) ? large.insert(key).inserted : bits.insert(Int(key))
    }

    func contains(_ key: Int64) -> Bool {
        isLarge(key) ? large.contains(key) : bits.contains(Int(key))
    }

    mutating func remove(_ key: Int64) {
        if isLarge(key) { large.remove(key) } else { bits.remove(Int(key)) }
    }
}
