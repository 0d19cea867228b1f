import GraphModel

/// A cache of link keys that were looked up, and their objects.
///
/// It is exact: it stores and compares the bytes of the keys. If it would exceed its memory limit,
/// it is emptied, which costs lookups but does not affect correctness.
struct LinkCache {
    private struct Entry {
        var hash: UInt64 = 0
        var start: Int = 0
        var count: Int32 = -1
        var kind: UInt8 = 0
        var primaryKey: Int64 = 0
        var entityNumber: Int64 = 0
    }

    private let bytesMax: Int
    private var entries = Array(repeating: Entry(), count: 1024)
    private var used = 0
    private var bytes: [UInt8] = []

    /// Creates an empty cache.
    ///
    /// - Parameter bytesMax: The memory limit in bytes, which also applies while the cache grows.
    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Returns the object with the key, if it is cached.
    func find(_ key: BulkCell, hash: UInt64) -> ManagedObjectID? {
        let slot = slot(of: key, hash: hash)
        guard entries[slot].count >= 0 else { return nil }
        return ManagedObjectID(
            entityNumber: entries[slot].entityNumber, primaryKey: entries[slot].primaryKey)
    }

    /// Adds a key that is not in the cache.
    mutating func insert(_ key: BulkCell, hash: UInt64, _ id: ManagedObjectID) {
        if (used + 1) * 10 > entries.count * 7 { grow() }
        if key.kind == .text || key.kind == .blob { makeSpace(for: key.bytes.count) }
        let slot = slot(of: key, hash: hash)
        var entry = Entry()
        entry.hash = hash
        entry.start = bytes.count
        entry.kind = key.kind.rawValue
        entry.primaryKey = id.primaryKey
        entry.entityNumber = id.entityNumber
        switch key.kind {
        case .text, .blob:
            bytes.append(contentsOf: key.bytes)
            entry.count = Int32(key.bytes.count)
        case .real:
            entry.start = Int(truncatingIfNeeded: key.realValue.bitPattern)
            entry.count = 0
        default:
            entry.start = Int(key.integerValue)
            entry.count = 0
        }
        entries[slot] = entry
        used += 1
    }

    mutating func removeAll() {
        entries = Array(repeating: Entry(), count: 1024)
        bytes = []
        used = 0
    }

    private func slot(of key: BulkCell, hash: UInt64) -> Int {
        let mask = entries.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while entries[slot].count >= 0 {
            if entries[slot].hash == hash, matches(entries[slot], key) { return slot }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private func matches(_ entry: Entry, _ key: BulkCell) -> Bool {
        guard entry.kind == key.kind.rawValue else { return false }
        switch key.kind {
        case .text, .blob:
            let other = key.bytes
            guard Int(entry.count) == other.count else { return false }
            guard let right = other.baseAddress, entry.count > 0 else { return true }
            return bytes.withUnsafeBufferPointer { all in
                guard let base = all.baseAddress else { return false }
                return memoryIsEqual(base + entry.start, right, other.count)
            }
        case .real:
            return entry.start == Int(truncatingIfNeeded: key.realValue.bitPattern)
        default:
            return entry.start == Int(key.integerValue)
        }
    }

    private var entryBytes: Int { entries.count * MemoryLayout<Entry>.stride }

    /// Empties the cache if it has no space for the bytes of one more key.
    ///
    /// The byte buffer doubles when it grows.
    private mutating func makeSpace(for count: Int) {
        let needed = bytes.count + count
        guard needed > bytes.capacity, entryBytes + bytes.capacity * 3 > bytesMax, used > 0 else {
            return
        }
        removeAll()
    }

    private mutating func grow() {
        // The old entries are freed only after the new ones are filled.
        guard entryBytes * 3 + bytes.capacity <= bytesMax else { return removeAll() }
        let old = entries
        entries = Array(repeating: Entry(), count: old.count * 2)
        let mask = entries.count - 1
        for entry in old where entry.count >= 0 {
            var slot = Int(truncatingIfNeeded: entry.hash) & mask
            while entries[slot].count >= 0 { slot = (slot + 1) & mask }
            entries[slot] = entry
        }
    }
}
