/// The selected paths as a tree, laid out flat in memory for the parser.
///
/// Every node knows the keys that were met in its objects, also those that nobody asked for, and
/// after each key the one that came next the last time: records of one file mostly have the same
/// keys in the same order, so that one comparison finds the next key.
final class JSONFieldTree {
    /// One key of the objects at a node.
    struct Key {
        /// The name between its quotes, as it stands in the input.
        var text: UnsafeMutablePointer<UInt8>
        /// The bytes of `text` with both quotes; at most `wordMax` can be compared by words.
        var count: Int
        /// The first eight bytes of `text`, or what no input has where the name needs escapes.
        var firstWord: UInt64
        var firstMask: UInt64
        /// The node of the value, or -1 where nothing in it was asked for.
        var node: Int
        /// The key that came after this one the last time.
        var next: Int
        /// The object in which the key was last met.
        var mark: UInt64
        /// How often the key was met.
        var meetings = 0
    }

    /// One value that was asked for, or that leads to one.
    struct Node {
        /// The slot that the value itself goes to, or -1.
        var slot = -1
        /// The node of the value's elements, or -1.
        var each = -1
        var keys: UnsafeMutablePointer<Key>
        var keyCount = 0
        var keyCapacity = 0
        /// The key that came first the last time.
        var firstKey = 0
        /// The slots of this node and all below.
        var slots: [Int] = []
        /// The slots of paths that lead on from here by names alone: null here is on their way.
        var passingSlots: [Int] = []
        /// The slots of paths that lead on from here to a further name, behind a list or by one.
        var listPassingSlots: [Int] = []
        /// The slots below that are filled once for each element of this node's list.
        var elementSlots: [Int] = []
        /// The brackets around the value.
        var depth: Int
        /// The lists around the value; in one, a record may have several values.
        var listDepth: Int
        /// In a list, the slots below whose paths lead into further lists.
        var innerListSlots: [Int] = []
        /// Whether nothing is asked for inside the value, and it has its slot to itself.
        var isLeaf = true
        /// The first of the nodes to which its value belongs as well, as its name is the names of
        /// their paths in one; or -1.
        ///
        /// It counts there where such a path itself leads to nothing; see `FieldPath.flatSteps`.
        var firstFlat = -1
        /// The next of those nodes, or -1.
        var nextFlat = -1
        /// Whether paths lead into the value in several ways: what one calls extra is another's.
        var isShared = false
        /// Where the value of one of them begins, and the object that had it last.
        var flatStart: UnsafePointer<UInt8>?
        var flatMark: UInt64 = 0
    }

    private static let keysMax = 128
    /// Longer names are not learned.
    private static let nameBytesMax = 256

    private(set) var nodes: UnsafeMutablePointer<Node>
    private var nodeCount = 0
    private let nodeCapacity: Int
    /// The slots of paths with `[*]`.
    private(set) var listSlots: [Int] = []
    /// Slots with the same path as an earlier one.
    private(set) var aliases: [(slot: Int, source: Int)] = []
    /// The nodes of values that are called like paths; each is of paths with the same names.
    private(set) var flatNodes: [Int] = []

    init(_ selection: FieldSelection) {
        // Each path of several names may have them in one, too, by a member and a node of its own.
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
            guard let steps = path.flatSteps else { continue }
            let names = path.steps.prefix(path.leadingNames)
            let same = flats.first { FieldPath.isSame($0.names, names) }?.node
            let flat = same ?? addFlat(steps[0], root: root)
            if same == nil { flats.append((names, flat)) }
            add(Array(steps.dropFirst()), slot: slot, root: flat)
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

    /// Adds a node for what is called like the names of a path.
    ///
    /// It is apart from the node that the name has: other paths may go over that name, or have the
    /// same one of other names.
    private func addFlat(_ step: FieldPath.Step, root: Int) -> Int {
        guard case .name(let name) = step else { return root }
        let member = child(named: name, of: root)
        let flat = addNode(depth: nodes[member].depth, listDepth: 0)
        let next = nodes[member].firstFlat
        nodes[flat].nextFlat = next
        nodes[member].firstFlat = flat
        // What stands there is looked at when the record is over.
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

    /// The names that nobody asked for, of the record and of the objects in it that something was
    /// asked of, with how many objects had each.
    var extraFields: [(name: String, count: Int)] {
        var found: [(name: String, count: Int)] = []
        addExtraFields(of: 0, [], to: &found)
        return found
    }

    private func addExtraFields(
        of node: Int, _ path: [FieldPath.Step], to found: inout [(name: String, count: Int)]
    ) {
        // What one of several ways into a value calls extra is another's.
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

    /// Counts the names that nobody asked for anew.
    func forgetMeetings() {
        for node in 0..<nodeCount {
            for index in 0..<nodes[node].keyCount { nodes[node].keys[index].meetings = 0 }
        }
    }

    /// Takes back the meetings of a record that was cut or bad, by the number of its object, behind
    /// which the objects in it have theirs.
    ///
    /// Of the elements of a list, the last one is taken back.
    func forgetMeetings(inObject number: UInt64) {
        for node in 0..<nodeCount {
            for index in 0..<nodes[node].keyCount where nodes[node].keys[index].mark >= number {
                nodes[node].keys[index].meetings -= 1
            }
        }
    }

    /// The key of that name, or -1.
    func keyIndex(_ name: UnsafeBufferPointer<UInt8>, of node: Int) -> Int {
        let keys = nodes[node].keys
        for index in 0..<nodes[node].keyCount where keys[index].count == name.count + 2 {
            guard let start = name.baseAddress, name.count > 0 else { return index }
            if sameBytes(keys[index].text + 1, start, name.count) { return index }
        }
        return -1
    }

    /// Remembers a key that nobody asked for; -1 where it is too long, or there are too many.
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
