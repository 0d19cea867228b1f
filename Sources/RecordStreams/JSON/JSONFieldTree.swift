/// The selected paths as a tree, stored in flat memory for the parser.
///
/// Every node stores all keys that occurred in its objects, including unselected ones. With each
/// key, it stores the one that followed it last time. Most records of a file have the same keys in
/// the same order, so one comparison finds the next key.
final class JSONFieldTree {
    /// One key of the objects at a node.
    struct Key {
        /// The quoted name, exactly as in the input.
        var text: UnsafeMutablePointer<UInt8>
        /// The number of bytes of `text` with both quotes.
        var count: Int
        /// The first eight bytes of `text`, or a word that no input contains if the name needs
        /// escapes.
        var firstWord: UInt64
        var firstMask: UInt64
        /// The index of the node for the key's value, or -1 if nothing in it is selected.
        var node: Int
        /// The index of the key that followed this one in the last object.
        ///
        /// The parser compares it first in the next object.
        var next: Int
        /// The number of the last object that contained the key, by which duplicate keys are
        /// detected.
        var mark: UInt64
        /// The number of records in which the key occurred.
        var meetings = 0
    }

    /// A value that is selected or leads to a selected one.
    struct Node {
        /// The index of the selected field whose value this is, or -1.
        var slot = -1
        /// The index of the node for the elements of a list, or -1.
        var each = -1
        var keys: UnsafeMutablePointer<Key>
        var keyCount = 0
        var keyCapacity: Int
        /// The index of the first key of the last object, which the parser compares first in the
        /// next one.
        var firstKey = 0
        /// The slots of this node and all its descendants.
        var slots: [Int] = []
        /// The selected fields inside this value whose paths lead to a list only further down, or
        /// to none.
        ///
        /// If this value is null, so are they.
        var passingSlots: [Int] = []
        /// The selected fields inside this value whose paths have a list here or above, and a
        /// further name below.
        ///
        /// If this value is null, so are they.
        var listPassingSlots: [Int] = []
        /// The selected fields that get one value for each element of the list at this value.
        var elementSlots: [Int] = []
        /// The number of brackets around the value.
        var depth: Int
        /// The number of lists around the value; inside a list, a record can have several values.
        var listDepth: Int
        /// If this value is in a list, the selected fields inside it whose paths lead into further
        /// lists.
        var innerListSlots: [Int] = []
        /// Whether nothing inside the value is selected, and no other node shares its slot.
        var isLeaf = true
        /// The first of the nodes that also use this value, because its name equals the joined
        /// names of their paths; or -1.
        ///
        /// The value counts for them if such a path itself leads to nothing; see
        /// `FieldPath.flatSteps`.
        var firstFlat = -1
        /// The next node that uses the same value because of its joined name, or -1; see
        /// `firstFlat`.
        var nextFlat = -1
        /// Whether several paths lead into the value, so that a field that is extra for one path
        /// may be selected by another.
        var isShared = false
        /// The last value of a flat node: where it starts, and the number of the object that
        /// contained it.
        var flatStart: UnsafePointer<UInt8>?
        var flatMark: UInt64 = 0
    }

    private static let keysMax = 128
    /// The maximum length of a stored name.
    private static let nameBytesMax = 256

    private(set) var nodes: UnsafeMutablePointer<Node>
    private var nodeCount = 0
    private let nodeCapacity: Int
    /// The slots of paths with `[*]`.
    private(set) var listSlots: [Int] = []
    /// The slots with the same path as an earlier slot.
    private(set) var aliases: [(slot: Int, source: Int)] = []
    /// The nodes of values whose name is a dotted path; one for each distinct list of names.
    private(set) var flatNodes: [Int] = []

    init(_ selection: FieldSelection) {
        // Each path of several names may also occur as one member with the joined name and its own
        // node.
        nodeCapacity = 1 + 2 * selection.paths.reduce(0) { $0 + $1.steps.count }
        nodes = .allocate(capacity: nodeCapacity)
        let root = addNode(depth: 0, listDepth: 0)
        let sources = selection.firstSlots { $0.leadsToSamePlace(as: $1) }
        for (slot, path) in selection.paths.enumerated() {
            if sources[slot] != slot {
                aliases.append((slot, sources[slot]))
            } else {
                add(path.steps, slot: slot, root: root, leadingNames: path.leadingNames)
                if path.steps.contains(.each) { listSlots.append(slot) }
            }
        }
        var flats: [(names: ArraySlice<FieldPath.Step>, node: Int)] = []
        for (slot, path) in selection.paths.enumerated() where sources[slot] == slot {
            guard let flatSteps = path.flatSteps else { continue }
            let names = path.steps.prefix(path.leadingNames)
            let same = flats.first { FieldPath.isSame($0.names, names) }?.node
            let flat = same ?? addFlat(flatSteps.name, root: root)
            if same == nil { flats.append((names, flat)) }
            add(Array(flatSteps.rest), slot: slot, root: flat)
        }
    }

    deinit {
        for node in 0..<nodeCount {
            for key in 0..<nodes[node].keyCount { nodes[node].keys[key].text.deallocate() }
            nodes[node].keys.deallocate()
        }
        nodes.deinitialize(count: nodeCount)
        nodes.deallocate()
    }

    /// Adds a node for a member that is named like a dotted path.
    ///
    /// It is separate from the node of the member's name: other paths may use that node, or have
    /// the same joined name from other names.
    private func addFlat(_ name: String, root: Int) -> Int {
        let member = child(named: name, of: root)
        let flat = addNode(depth: nodes[member].depth, listDepth: 0)
        let next = nodes[member].firstFlat
        nodes[flat].nextFlat = next
        nodes[member].firstFlat = flat
        // The value is read after the end of the record.
        nodes[member].isLeaf = false
        flatNodes.append(flat)
        if next >= 0 || !nodes[member].slots.isEmpty {
            for node in [member, flat, next] where node >= 0 { nodes[node].isShared = true }
        }
        return flat
    }

    private func add(_ steps: [FieldPath.Step], slot: Int, root: Int, leadingNames: Int = 0) {
        var node = root
        var lastList: Int?
        let listCount = steps.count(where: { $0 == .each })
        let lastName = steps.lastIndex { $0 != .each } ?? -1
        for (place, step) in steps.enumerated() {
            nodes[node].slots.append(slot)
            if place < leadingNames {
                nodes[node].passingSlots.append(slot)
            } else if place <= lastName {
                nodes[node].listPassingSlots.append(slot)
            }
            switch step {
            case .name(let name): node = child(named: name, of: node)
            case .each:
                lastList = node
                if nodes[node].each < 0 {
                    let each = addNode(
                        depth: nodes[node].depth + 1, listDepth: nodes[node].listDepth + 1)
                    nodes[node].each = each
                    nodes[node].isLeaf = false
                }
                node = nodes[node].each
                if nodes[node].listDepth < listCount { nodes[node].innerListSlots.append(slot) }
            }
        }
        nodes[node].slots.append(slot)
        nodes[node].slot = slot
        if let lastList { nodes[lastList].elementSlots.append(slot) }
    }

    private func child(named name: String, of node: Int) -> Int {
        var name = name
        return name.withUTF8 { bytes in
            let index = keyIndex(bytes, of: node)
            if index >= 0 { return nodes[node].keys[index].node }
            let child = addNode(
                depth: nodes[node].depth + 1, listDepth: nodes[node].listDepth)
            _ = addKey(bytes, of: node, child: child)
            nodes[node].isLeaf = false
            return child
        }
    }

    private func addNode(depth: Int, listDepth: Int) -> Int {
        (nodes + nodeCount).initialize(
            to: Node(
                keys: .allocate(capacity: 1), keyCapacity: 1, depth: depth, listDepth: listDepth))
        nodeCount += 1
        return nodeCount - 1
    }

    /// The names of the unselected fields of the record and of its objects with selected fields,
    /// each with the number of records that contained it.
    var extraFields: [(name: String, count: Int)] {
        var found: [(name: String, count: Int)] = []
        addExtraFields(of: 0, [], to: &found)
        return found
    }

    private func addExtraFields(
        of node: Int, _ path: [FieldPath.Step], to found: inout [(name: String, count: Int)]
    ) {
        // If several paths lead into a value, a field that is extra for one may be selected by
        // another.
        guard !nodes[node].isShared else { return }
        for index in 0..<nodes[node].keyCount {
            let key = nodes[node].keys[index]
            let bytes = UnsafeBufferPointer(start: key.text + 1, count: key.count - 2)
            let steps = path + [.name(String(decoding: bytes, as: UTF8.self))]
            if key.node >= 0 {
                addExtraFields(of: key.node, steps, to: &found)
            } else if key.meetings > 0 {
                found.append((FieldPath.text(of: steps), key.meetings))
            }
        }
        if nodes[node].each >= 0 {
            addExtraFields(of: nodes[node].each, path + [.each], to: &found)
        }
    }

    /// Resets the counts of unselected names.
    func forgetMeetings() {
        for node in 0..<nodeCount {
            for index in 0..<nodes[node].keyCount { nodes[node].keys[index].meetings = 0 }
        }
    }

    /// Undoes the counts of an incomplete or bad record by the number of its object; nested objects
    /// have higher numbers.
    func forgetMeetings(inObject number: UInt64) {
        for node in 0..<nodeCount {
            for index in 0..<nodes[node].keyCount where nodes[node].keys[index].mark >= number {
                nodes[node].keys[index].meetings -= 1
            }
        }
    }

    /// Returns the index of the key with this name, or -1.
    func keyIndex(_ name: UnsafeBufferPointer<UInt8>, of node: Int) -> Int {
        let keys = nodes[node].keys
        for index in 0..<nodes[node].keyCount where keys[index].count == name.count + 2 {
            guard let start = name.baseAddress, name.count > 0 else { return index }
            if sameBytes(keys[index].text + 1, start, name.count) { return index }
        }
        return -1
    }

    /// Stores an unselected key; returns -1 if it is too long or there are too many.
    func learnKey(_ name: UnsafeBufferPointer<UInt8>, of node: Int) -> Int {
        name.count <= Self.nameBytesMax
            && nodes[node].keyCount < Self.keysMax + nodes[node].slots.count + flatNodes.count
            ? addKey(name, of: node, child: -1) : -1
    }

    private func addKey(_ name: UnsafeBufferPointer<UInt8>, of node: Int, child: Int) -> Int {
        let count = name.count + 2
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 8)
        text.initialize(repeating: 0, count: count + 8)
        text[0] = JSONToken.quote
        if let start = name.baseAddress { (text + 1).update(from: start, count: name.count) }
        text[count - 1] = JSONToken.quote
        let isPlain = name.allSatisfy {
            $0 >= 0x20 && $0 != JSONToken.quote && $0 != JSONToken.backslash
        }
        let mask = count >= 8 ? UInt64.max : (1 << UInt64(count * 8)) - 1
        let index = nodes[node].keyCount
        let key = Key(
            text: text, count: count,
            firstWord: isPlain ? Words.load(text) & mask : .max, firstMask: isPlain ? mask : 0,
            node: child, next: index + 1, mark: 0)
        if index == nodes[node].keyCapacity {
            let capacity = index * 2
            let larger = UnsafeMutablePointer<Key>.allocate(capacity: capacity)
            larger.update(from: nodes[node].keys, count: index)
            nodes[node].keys.deallocate()
            nodes[node].keys = larger
            nodes[node].keyCapacity = capacity
        }
        nodes[node].keys[index] = key
        nodes[node].keyCount = index + 1
        return index
    }
}
