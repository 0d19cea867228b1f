import RecordStreams

/// One field of the sample's records, with the fields inside it.
final class FieldNode {
    /// Objects with more different members are maps, not records.
    static let membersMax = 256
    /// Fields this deep are kept as JSON.
    static let depthMax = 4

    let name: [UInt8]
    let depth: Int
    var facts: ValueFacts
    /// The members of objects, in the order in which they were met.
    private(set) var members: [FieldNode] = []
    /// More members were met than are looked at.
    private(set) var isTooWide = false
    /// The values, where the field's name makes them interesting.
    var distinct: DistinctValues?
    /// A record has the field twice, and which of them counts is left to the import.
    private(set) var comesTwice = false
    /// What stands in the lists that the field holds.
    var items: ListFacts?

    let tracking: FieldTracking
    private var places: [[UInt8]: Int] = [:]
    private var next = 0
    private var lastRecord = -1

    init(name: [UInt8], depth: Int, isTabular: Bool, tracking: FieldTracking) {
        self.name = name
        self.depth = depth
        self.tracking = tracking
        facts = ValueFacts(isTabular: isTabular)
    }

    /// The record's root.
    convenience init(isTabular: Bool, tracking: FieldTracking) {
        self.init(name: [], depth: 0, isTabular: isTabular, tracking: tracking)
    }

    /// The member of a name, made where it is new; nil where there are too many.
    func member(named name: UnsafeBufferPointer<UInt8>) -> FieldNode? {
        // Records tend to have the same fields in the same order.
        if next < members.count, members[next].name.elementsEqual(name) {
            next += 1
            return members[next - 1]
        }
        let key = Array(name)
        if let place = places[key] {
            next = place + 1
            return members[place]
        }
        guard members.count < Self.membersMax || depth == 0, members.count < 4096 else {
            isTooWide = true
            return nil
        }
        let member = FieldNode(
            name: key, depth: depth + 1, isTabular: facts.isTabular, tracking: tracking)
        // Tables often begin with what tells their rows apart.
        let isFirstColumn = depth == 0 && facts.isTabular && members.isEmpty
        if isFirstColumn || tracking.isInteresting(member.text, in: text) {
            member.distinct = DistinctValues(in: tracking.room)
        }
        places[key] = members.count
        members.append(member)
        next = members.count
        return member
    }

    /// Begins again at the first member.
    func rewind() { next = 0 }

    /// The name as text.
    var text: String { String(decoding: name, as: UTF8.self) }

    // MARK: Values

    /// Notes that a record has the field.
    func meet(in record: Int) {
        if record == lastRecord { comesTwice = true }
        lastRecord = record
    }

    func add(text: UnsafeBufferPointer<UInt8>) {
        facts.add(text: text)
        distinct?.insert(text)
    }

    func add(number: UnsafeBufferPointer<UInt8>) {
        facts.add(number: number)
        distinct?.insert(number)
    }
}

/// What stands in the lists of a field.
struct ListFacts {
    /// All items of all lists.
    var facts = ValueFacts(isTabular: false)
    var distinct: DistinctValues
    var hasNulls = false
    /// Some list has an item twice.
    var hasRepeats = false
    /// The items of the list that is being read.
    private var current: Set<UInt64> = []

    init(in room: DistinctRoom) {
        distinct = DistinctValues(in: room)
    }

    mutating func begin() { current.removeAll(keepingCapacity: true) }

    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, isText: Bool) {
        if isText { facts.add(text: bytes) } else { facts.add(number: bytes) }
        distinct.insert(bytes)
        if !current.insert(DistinctValues.hash(bytes)).inserted { hasRepeats = true }
    }
}

/// Which fields may be keys, or refer to the keys of other inputs.
struct FieldTracking {
    /// The entities of all inputs, without case.
    let entities: Set<String>
    let room: DistinctRoom

    func isInteresting(_ name: String, in parent: String) -> Bool {
        let folded = InferredNames.folded(name)
        return KeyNames.mayBeKey(folded) || folded.hasSuffix("id")
            || InferredNames.meansOwnKind(folded) || entities.contains(folded)
            || entities.contains(InferredNames.folded(InferredNames.singular(name)))
    }
}
