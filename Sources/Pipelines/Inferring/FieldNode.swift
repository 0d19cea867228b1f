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
    /// Some record of JSON has null for it.
    var hasNulls = false
    /// What stands in the lists that the field holds.
    var items: ListFacts?
    /// Of what objects in lists have in common, the field that holds the lists.
    private(set) weak var list: FieldNode?

    /// What people want to see of the values, where they asked for it.
    let profile: ColumnProfile?
    let tracking: FieldTracking
    /// The field is no part of the record.
    var isLeftOut = false
    /// The field is inside a list of the record.
    let isInList: Bool
    /// Its values are remembered whatever they look like.
    private var isInteresting = false
    private var places: [[UInt8]: Int] = [:]
    private var next = 0
    private var lastRecord = -1

    init(
        name: [UInt8], depth: Int, isTabular: Bool, tracking: FieldTracking, isInList: Bool = false,
        list: FieldNode? = nil
    ) {
        self.isInList = isInList
        self.list = list
        self.name = name
        self.depth = depth
        self.tracking = tracking
        profile = tracking.hasProfiles ? ColumnProfile() : nil
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
            name: key, depth: depth + 1, isTabular: depth == 0 && facts.isTabular,
            tracking: tracking,
            isInList: isInList)
        // Tables often begin with what tells their rows apart.
        let isFirstColumn = depth == 0 && facts.isTabular && members.isEmpty
        member.isInteresting = isFirstColumn || tracking.isInteresting(member.text, in: text)
        member.distinct = DistinctValues(in: tracking.room, isInList: isInList)
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

    /// - Parameter mayBeNull: the text stands in a table, without quotes.
    func add(text: UnsafeBufferPointer<UInt8>, mayBeNull: Bool = false) {
        if mayBeNull, let place = NullText.place(of: text) {
            return facts.addMarker(place, at: tracking.room.place)
        }
        facts.add(text: text)
        if facts.hasNewMisfit { facts.place(misfit: tracking.room.place()) }
        profile?.add(text)
        remember(text)
    }

    func add(_ value: Bool) {
        guard facts.isTabular else { return facts.add(value) }
        var text = value ? "true" : "false"
        text.withUTF8 { add(text: $0) }
    }

    func add(number: UnsafeBufferPointer<UInt8>) {
        // Beside the values of a table, which are texts all of them.
        guard !facts.isTabular else { return add(text: number) }
        facts.add(number: number)
        profile?.add(number)
        remember(number)
    }

    /// Prose is no key, and would take the room of what may be one.
    private func remember(_ value: UnsafeBufferPointer<UInt8>) {
        guard isInteresting || ValueFacts.isWord(value) else {
            distinct?.drop()
            return
        }
        distinct?.insert(value)
    }

    /// Makes values of those texts that might have stood for no value.
    func takeMarkers(_ isValue: (Int) -> Bool) {
        for (text, count) in facts.takeMarkers(isValue) {
            var text = text
            text.withUTF8 { bytes in
                for _ in 0..<min(count, 2) { distinct?.insert(bytes) }
            }
        }
    }
}

/// What stands in the lists of a field.
struct ListFacts {
    /// All items of all lists.
    var facts = ValueFacts(isTabular: false)
    var distinct: DistinctValues
    var hasNulls = false
    /// What the objects in the lists have in common.
    private(set) var element: FieldNode?
    /// The objects as they stand there, to see whether those of one key are equal.
    private(set) var objects: DistinctValues
    /// Some list has an item twice.
    var hasRepeats = false
    /// The items of the list that is being read.
    private var current: Set<UInt64> = []

    init(in room: DistinctRoom) {
        distinct = DistinctValues(in: room)
        objects = DistinctValues(in: room)
    }

    /// Notes an object of a list.
    ///
    /// - Returns: what is to see its members, and a number that no other object of it has; nil
    ///   where it is too deep inside.
    mutating func addObject(in node: FieldNode) -> (FieldNode, Int)? {
        facts.addObject()
        guard node.depth < FieldNode.depthMax else { return nil }
        let element =
            element
            ?? FieldNode(
                name: [], depth: node.depth, isTabular: false, tracking: node.tracking,
                isInList: true, list: node)
        self.element = element
        return (element, facts.objects)
    }

    mutating func end(object bytes: UnsafeBufferPointer<UInt8>) {
        objects.insert(hash: DistinctValues.hash(bytes))
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
    /// Whether somebody wants to see what the values look like.
    var hasProfiles = false

    func isInteresting(_ name: String, in parent: String) -> Bool {
        let folded = InferredNames.folded(name)
        return KeyNames.mayBeKey(folded) || folded.hasSuffix("id")
            || InferredNames.meansOwnKind(folded) || entities.contains(folded)
            || entities.contains(InferredNames.folded(InferredNames.singular(name)))
    }
}
