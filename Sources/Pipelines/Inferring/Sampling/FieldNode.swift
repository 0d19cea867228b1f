import RecordStreams

/// A field of the sample's records with its nested fields.
final class FieldNode {
    /// The maximum number of members of a nested object; an object with more is a map, not a
    /// record.
    static let membersMax = 256
    /// The maximum depth of fields; objects at this depth are kept as JSON.
    static let depthMax = 4

    let name: [UInt8]
    let depth: Int
    var facts: ValueFacts
    /// The members of objects, in order of first appearance.
    private(set) var members: [FieldNode] = []
    /// Whether there were more members than the limit.
    private(set) var isTooWide = false
    /// The distinct values; dropped at the first prose value, unless the name suggests a key.
    var distinct: DistinctValues?
    /// Whether a record has the field twice; the import decides which one counts.
    private(set) var comesTwice = false
    /// Whether some record of JSON has `null` for the field.
    var hasNulls = false
    /// The facts about the lists that the field holds.
    var items: ListFacts?
    /// The facts about the parts of texts such as `1|2|3`, with which exports write a list into a
    /// table; `nil` if no text has the separator.
    private(set) var parts: ListFacts?
    /// The field that holds the lists, if this node is the merged structure of their objects.
    private(set) weak var list: FieldNode?

    /// The statistics of the values for the HTML report; `nil` unless requested.
    let profile: ColumnProfile?
    let tracking: FieldTracking
    /// Whether the field is ignored, such as an empty column without a name.
    var isLeftOut = false
    /// Whether the field is inside a list of the record.
    let isInList: Bool
    /// Whether values are kept for comparison with keys even if they look like prose: the field is
    /// a table's first column, or its name suggests a key.
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

    /// Creates the root of a record.
    convenience init(isTabular: Bool, tracking: FieldTracking) {
        self.init(name: [], depth: 0, isTabular: isTabular, tracking: tracking)
    }

    /// Returns the member with this name, adding it if it is new; `nil` if there are too many
    /// members.
    func member(named name: UnsafeBufferPointer<UInt8>) -> FieldNode? {
        // Records usually have the same fields in the same order.
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
        // The first column of a table often identifies its rows.
        let isFirstColumn = depth == 0 && facts.isTabular && members.isEmpty
        member.isInteresting = isFirstColumn || tracking.isInteresting(member.text, in: text)
        member.distinct = DistinctValues(in: tracking.valueLimit, isInList: isInList)
        places[key] = members.count
        members.append(member)
        next = members.count
        return member
    }

    /// Expects the members of the next object in their usual order, beginning with the first one.
    func rewind() { next = 0 }

    /// The name as a string.
    var text: String { String(decoding: name, as: UTF8.self) }

    // MARK: Values

    /// Notes that a record has the field; a second call for the record sets `comesTwice`.
    func meet(in record: Int) {
        if record == lastRecord { comesTwice = true }
        lastRecord = record
    }

    /// Adds a text value.
    ///
    /// - Parameter mayBeNull: Whether the text is an unquoted field of a table, which may stand for
    ///   null.
    func add(text: UnsafeBufferPointer<UInt8>, mayBeNull: Bool = false) {
        if mayBeNull, let place = NullText.place(of: text) {
            return facts.addMarker(place, at: tracking.valueLimit.place)
        }
        if facts.isTabular { addParts(of: text) }
        facts.add(text: text)
        if facts.hasNewMisfit { facts.place(misfit: tracking.valueLimit.place()) }
        profile?.add(text)
        remember(text)
    }

    func add(_ value: Bool) {
        guard facts.isTabular else { return facts.add(value) }
        var text = value ? "true" : "false"
        text.withUTF8 { add(text: $0) }
    }

    func add(number: UnsafeBufferPointer<UInt8>) {
        // If any input is a table, all values are texts, because table fields are texts.
        guard !facts.isTabular else { return add(text: number) }
        facts.add(number: number)
        profile?.add(number)
        remember(number)
    }

    /// Adds the parts of a text that may be a list of keys, as exports write it.
    ///
    /// It starts with the first text that has a separator. The earlier ones are lists of one key.
    private func addParts(of text: UnsafeBufferPointer<UInt8>) {
        if parts == nil {
            guard text.contains(RecordEncoder.listSeparator), let distinct, distinct.isWhole else {
                return
            }
            parts = ListFacts(of: facts, distinct)
        }
        guard parts?.distinct.isWhole == true else { return }
        parts?.begin()
        var pieces = TextPieces(of: text, cutAt: [RecordEncoder.listSeparator])
        while let piece = pieces.next() {
            guard piece.withBytes(ValueFacts.isWord) else {
                parts?.distinct.drop()
                return
            }
            piece.withBytes { parts?.add($0, isText: true) }
        }
    }

    /// Remembers a value, except prose, which is not a key and would use up the shared limit.
    private func remember(_ value: UnsafeBufferPointer<UInt8>) {
        guard isInteresting || ValueFacts.isWord(value) else {
            distinct?.drop()
            return
        }
        distinct?.insert(value)
    }

    /// Counts texts that may mean null as values, if the closure decides that they are values here.
    func takeMarkers(_ isValue: (Int) -> Bool) {
        for (text, count) in facts.takeMarkers(isValue) {
            var text = text
            text.withUTF8 { bytes in
                for _ in 0..<min(count, 2) { distinct?.insert(bytes) }
            }
        }
    }
}

/// The facts about the lists of a field.
struct ListFacts {
    /// The facts about all items of all lists.
    var facts: ValueFacts
    var distinct: DistinctValues
    var hasNulls = false
    /// The merged structure of the objects in the lists.
    private(set) var element: FieldNode?
    /// The raw objects, used to check whether objects with the same key are equal.
    private(set) var objects: DistinctValues
    /// Whether a list has an item twice.
    var hasRepeats = false
    /// The items of the current list.
    private var current: Set<UInt64> = []

    init(in valueLimit: DistinctValueLimit) {
        facts = ValueFacts(isTabular: false)
        distinct = DistinctValues(in: valueLimit)
        objects = DistinctValues(in: valueLimit)
    }

    /// Creates lists of one item each from the values of a field.
    init(of facts: ValueFacts, _ distinct: DistinctValues) {
        self.facts = facts
        self.distinct = distinct.copy()
        objects = DistinctValues(in: distinct.valueLimit)
    }

    /// Adds an object of a list.
    ///
    /// - Returns: The node for its members, and a number that is unique among these objects; `nil`
    ///   if the object is too deeply nested.
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

/// Decides which fields may be keys or refer to the keys of other inputs.
struct FieldTracking {
    /// The folded names of all entities of the inputs and the store.
    let entities: Set<String>
    let valueLimit: DistinctValueLimit
    /// Whether to collect statistics of the values for the HTML report.
    var hasProfiles = false

    func isInteresting(_ name: String, in parent: String) -> Bool {
        let folded = InferredNames.folded(name)
        return KeyNames.mayBeKey(folded) || folded.hasSuffix("id")
            || InferredNames.meansOwnKind(folded) || entities.contains(folded)
            || entities.contains(InferredNames.folded(InferredNames.singular(name)))
    }
}
