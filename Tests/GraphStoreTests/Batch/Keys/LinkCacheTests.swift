import GraphModel
import GraphStore
import Testing

@testable import RowStore

@Suite("Cache of link keys") struct LinkCacheTests {
    private func id(_ key: Int64) -> ManagedObjectID {
        ManagedObjectID(entityNumber: 1, primaryKey: key)
    }

    /// Returns the cells of keys of every type, and calls the closure while they are valid.
    private func withKeys(_ body: ([BulkCell]) -> Void) {
        let batch = RowBatch(width: 8)
        batch.add([1, 2, 1.5, "a", "b", "ab", "", .blob([97])])
        withExtendedLifetime(batch) { body((0..<8).map { batch[0, $0] }) }
    }

    @Test("distinguishes keys that have one hash")
    func collisions() {
        withKeys { keys in
            var cache = LinkCache(bytesMax: 1 << 20)
            for (place, key) in keys.enumerated() {
                #expect(cache.find(key, hash: 7) == nil)
                cache.insert(key, hash: 7, id(Int64(place)))
            }
            for (place, key) in keys.enumerated() {
                #expect(cache.find(key, hash: 7) == id(Int64(place)))
                #expect(cache.find(key, hash: 8) == nil)
            }
        }
    }

    @Test("keeps all keys while it may grow, and otherwise starts again", arguments: [true, false])
    func growth(mayGrow: Bool) {
        var cache = LinkCache(bytesMax: mayGrow ? 1 << 20 : 1)
        for number in Int64(0)..<3000 {
            cache.insert(.integer(number), hash: UInt64(number), id(number))
            #expect(cache.find(.integer(number), hash: UInt64(number)) == id(number))
        }
        #expect((cache.find(.integer(0), hash: 0) == id(0)) == mayGrow)
        #expect(cache.find(.integer(3000), hash: 3000) == nil)
    }
}
