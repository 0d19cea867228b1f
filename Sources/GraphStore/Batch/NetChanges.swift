/// Remembers, for each row that a load changed, how far it is from what it was.
///
/// Every change adds (by exclusive or) a hash of what went and a hash of what came. When the sum
/// is zero again, the row is what it was before the load: later records with the same key undid
/// the earlier ones. So a record counts by its row's net change, whatever the batch size, in
/// 12 bytes a row.
struct NetChanges {
    private static let chunkSize: Int64 = 1024

    private struct Chunk {
        var distance: [UInt64]
        var saves: [UInt32]
    }

    private var chunks: [Int64: Chunk] = [:]

    /// The distance after another change, and how often the row was written so far.
    mutating func change(
        _ primaryKey: Int64, by difference: UInt64, writes: UInt32 = 1
    ) -> (UInt64, writes: UInt32) {
        let (number, place) = primaryKey.quotientAndRemainder(dividingBy: Self.chunkSize)
        let offset = Int(place)
        return withChunk(number) { chunk in
            chunk.distance[offset] ^= difference
            chunk.saves[offset] += writes
            return (chunk.distance[offset], chunk.saves[offset])
        }
    }

    /// The row's distance from what it was, and how often it was written.
    func state(_ primaryKey: Int64) -> (distance: UInt64, writes: UInt32) {
        let (number, place) = primaryKey.quotientAndRemainder(dividingBy: Self.chunkSize)
        guard let chunk = chunks[number] else { return (0, 0) }
        return (chunk.distance[Int(place)], chunk.saves[Int(place)])
    }

    /// Takes over what an earlier load knew of the row.
    mutating func set(_ primaryKey: Int64, _ distance: UInt64, writes: UInt32) {
        let (number, place) = primaryKey.quotientAndRemainder(dividingBy: Self.chunkSize)
        withChunk(number) { chunk in
            chunk.distance[Int(place)] = distance
            chunk.saves[Int(place)] = writes
        }
    }

    /// Whether the row differs from what it was before the load.
    func isChanged(_ primaryKey: Int64) -> Bool {
        let (number, place) = primaryKey.quotientAndRemainder(dividingBy: Self.chunkSize)
        return chunks[number].map { $0.distance[Int(place)] != 0 } ?? false
    }

    /// Forgets the row, which is what it was.
    mutating func forget(_ primaryKey: Int64) {
        let (number, place) = primaryKey.quotientAndRemainder(dividingBy: Self.chunkSize)
        withChunk(number) { $0.saves[Int(place)] = 0 }
    }

    private mutating func withChunk<R>(_ number: Int64, _ body: (inout Chunk) -> R) -> R {
        let size = Int(Self.chunkSize)
        return body(
            &chunks[
                number,
                default: Chunk(
                    distance: Array(repeating: 0, count: size),
                    saves: Array(repeating: 0, count: size))])
    }
}

/// A set of primary keys, a bit each.
struct PrimaryKeySet {
    /// Larger keys are kept one by one: a bit for each would take more than 32 MiB.
    private static let limit: Int64 = 1 << 28

    private var words: [UInt64] = []
    private var large: Set<Int64> = []

    /// Adds a key.
    ///
    /// - Returns: whether it was new.
    mutating func insert(_ key: Int64) -> Bool {
        guard key >= 0, key < Self.limit else { return large.insert(key).inserted }
        let word = Int(key >> 6)
        if word >= words.count {
            words.append(
                contentsOf: repeatElement(0, count: max(word + 1, words.count * 2) - words.count))
        }
        let bit = UInt64(1) << UInt64(key & 63)
        guard words[word] & bit == 0 else { return false }
        words[word] |= bit
        return true
    }

    func contains(_ key: Int64) -> Bool {
        guard key >= 0, key < Self.limit else { return large.contains(key) }
        let word = Int(key >> 6)
        return word < words.count && words[word] & UInt64(1) << UInt64(key & 63) != 0
    }

    mutating func remove(_ key: Int64) {
        guard key >= 0, key < Self.limit else {
            large.remove(key)
            return
        }
        let word = Int(key >> 6)
        if word < words.count { words[word] &= ~(UInt64(1) << UInt64(key & 63)) }
    }
}
