import GraphModel
import RecordStreams

/// The different values of a field, by hashes of 64 bits, as far as they are not too many.
///
/// Two values with one hash make a field look as if it repeated, which costs a guess and never
/// data; for a million values that happens once in 40 million samples.
struct DistinctValues {
    /// Beyond so many of one field nothing is remembered any more.
    static let countMax = 1_000_000

    private let room: DistinctRoom
    private(set) var hashes: Set<UInt64> = []
    /// Some value came twice.
    private(set) var hasRepeats = false
    /// There were more values than are remembered.
    private(set) var isFull = false
    private(set) var hasEmpty = false

    var count: Int { hashes.count }

    init(in room: DistinctRoom) {
        self.room = room
    }

    mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
        if bytes.isEmpty { hasEmpty = true }
        let hash = Self.hash(bytes)
        guard hashes.count < Self.countMax, room.left > 0 else {
            if hashes.contains(hash) { hasRepeats = true } else { isFull = true }
            return
        }
        if hashes.insert(hash).inserted { room.left -= 1 } else { hasRepeats = true }
    }

    /// FNV-1a, then mixed; the case of UUIDs does not count.
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let isUUID = ValueFacts.isUUID(bytes)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            let isCapital = isUUID && byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F")
            hash = (hash ^ UInt64(isCapital ? byte | 0x20 : byte)) &* 0x0000_0100_0000_01B3
        }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ (hash >> 29)
    }
}

/// The values that all fields together may remember, so that memory stays bounded.
package final class DistinctRoom {
    /// Some 100 MiB at most.
    package static let countMax = 4_000_000

    /// The values that there is still room for.
    fileprivate(set) var left: Int

    init(_ count: Int) {
        left = count
    }
}
