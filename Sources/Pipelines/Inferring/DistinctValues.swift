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
    /// The field is in a list, where each record is looked at by itself.
    private let isInList: Bool
    /// The file, or the record, in which each value was met last.
    private var seen: [UInt64: Int] = [:]
    /// Some value came twice in one file; of a field in a list, in one record.
    private(set) var hasRepeats = false
    /// Some value came in two files, or of a field in a list in two records.
    private(set) var repeatsBetween = false
    /// There were more values than are remembered.
    private(set) var isFull = false
    private(set) var hasEmpty = false
    /// Nobody asks for the values any more.
    private(set) var isDropped = false

    var count: Int { seen.count }

    /// Whether all values are known.
    var isWhole: Bool { !isFull && !isDropped }

    init(in room: DistinctRoom, isInList: Bool = false) {
        self.room = room
        self.isInList = isInList
    }

    mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
        if bytes.isEmpty { hasEmpty = true }
        insert(hash: Self.hash(bytes))
    }

    mutating func insert(hash: UInt64) {
        guard !isDropped else { return }
        let place = isInList ? room.record : room.file
        if let last = seen[hash] {
            if last == place {
                hasRepeats = true
            } else {
                repeatsBetween = true
                seen[hash] = place
            }
        } else if seen.count < Self.countMax, room.left > 0 {
            seen[hash] = place
            room.left -= 1
        } else {
            isFull = true
        }
    }

    /// Forgets the values, which leaves room for those of others.
    mutating func drop() {
        room.left += seen.count
        seen = [:]
        isDropped = true
    }

    /// Whether each of these is among the others.
    func isSubset(of other: DistinctValues, or more: DistinctValues? = nil) -> Bool {
        count <= other.count + (more?.count ?? 0)
            && seen.keys.allSatisfy { other.seen[$0] != nil || more?.seen[$0] != nil }
    }

    /// FNV-1a, then mixed; the case of UUIDs does not count.
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let isUUID = ValueFacts.isUUID(bytes)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            let isCapital = isUUID && byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F")
            hash = (hash ^ UInt64(isCapital ? byte | 0x20 : byte)) &* 0x0000_0100_0000_01B3
        }
        return mixed(hash)
    }

    /// The hash of several values by their hashes, in their order.
    static func hash(_ hash: UInt64, and other: UInt64) -> UInt64 {
        mixed(hash &* 0x9E37_79B9_7F4A_7C15 ^ other)
    }

    private static func mixed(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ (hash >> 29)
    }
}

/// The values that all fields together may remember, so that memory stays bounded, and where the
/// sample is in the inputs.
package final class DistinctRoom {
    /// Some 100 MiB at most.
    package static let countMax = 4_000_000

    /// The values that there is still room for.
    fileprivate(set) var left: Int
    /// The number of the file that is being read.
    var file = 0
    /// The number of the record that is being read, among those of all files.
    var record = 0
    /// The file and the line of the record that is being read, for people.
    var place: () -> String = { "" }

    init(_ count: Int) {
        left = count
    }
}
