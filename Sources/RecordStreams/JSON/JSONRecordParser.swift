/// Reads one object and stores its selected fields.
///
/// It needs one pass and does not allocate: a field points to its bytes in the input. Strings with
/// escapes are written to the batch's arena; unselected values are validated and dropped. The
/// parser is a struct of plain pointers, so a decoder works on a local copy of it.
///
/// With duplicate keys, the last one wins. They are detected in every object on a selected path:
/// each key stores the number of the object in which it last occurred.
struct JSONRecordParser {
    typealias Node = JSONFieldTree.Node
    typealias Key = JSONFieldTree.Key

    /// The items of a list while its record is being read.
    struct ListBuffer {
        var items: UnsafeMutablePointer<Field>
        var count = 0
        var capacity = 1
        /// The number of lists on the path.
        let depth: Int
        /// The value of `count` at the start of the record, and at the start of the current element
        /// of each list on the path but the last.
        let counts: UnsafeMutablePointer<Int>

        /// The maximum size of a buffer that is kept for the next record: 1 MiB.
        private static let keptItemsMax = 1 << 16

        init(depth: Int) {
            items = .allocate(capacity: 1)
            self.depth = depth
            counts = .allocate(capacity: max(1, depth))
            counts.initialize(repeating: 0, count: max(1, depth))
        }

        func deallocate() {
            items.deallocate()
            counts.deallocate()
        }

        /// Releases the memory of an unusually long list.
        mutating func shrink() {
            guard capacity > Self.keptItemsMax else { return }
            items.deallocate()
            items = .allocate(capacity: 1)
            count = 0
            capacity = 1
        }
    }

    /// The fields of the record that is being read.
    var fields: UnsafeMutablePointer<Field>
    /// The end of the data.
    var end: Bytes
    /// The reason why the last call returned `nil`.
    var fault = JSONFault()
    /// The number of keys that occurred twice in one object.
    var duplicateKeyCount = 0
    /// The number of unselected members of objects on selected paths.
    var extraFieldCount = 0
    /// Whether the record had a member that is named like a dotted path.
    var hasFlatMembers = false

    let nodes: UnsafeMutablePointer<Node>
    let lists: UnsafeMutablePointer<ListBuffer>
    private let depthMax: Int
    private(set) var objectNumber: UInt64
    /// The number of the first object of the record, which may contain objects in lists.
    var firstObject: UInt64 = 0
    // References for the slow paths; the decoder that owns this parser owns both objects.
    unowned(unsafe) let tree: JSONFieldTree
    unowned(unsafe) var arena: ByteArena

    init(
        tree: JSONFieldTree, lists: UnsafeMutablePointer<ListBuffer>, batch: RecordBatch,
        depthMax: Int, objectNumber: UInt64
    ) {
        self.objectNumber = objectNumber
        self.tree = tree
        self.lists = lists
        arena = batch.arena
        self.depthMax = depthMax
        nodes = tree.nodes
        fields = batch.fieldStorage
        end = UnsafePointer(batch.chunk.start)
    }

    /// Reads the object that starts at an opening brace.
    ///
    /// - Returns: the byte after its closing brace, or `nil` with `fault` set.
    @inline(__always)
    mutating func record(_ start: Bytes) -> Bytes? {
        let before = objectNumber
        let after = object(start + 1, node: nodes)
        if hasFlatMembers, after != nil { return finishFlatMembers(since: before, after) }
        return after
    }

    mutating func object(_ start: Bytes, node: UnsafeMutablePointer<Node>) -> Bytes? {
        objectNumber += 1
        let number = objectNumber
        var position = JSONToken.skipSpace(start, end: end)
        if position.pointee == UInt8(ascii: "}") { return position + 1 }
        var expected = node.pointee.firstKey
        var last = -1
        while true {
            var index = expected
            if expected < node.pointee.keyCount, matches(node.pointee.keys + expected, position) {
                position += node.pointee.keys[expected].count
            } else {
                guard let next = findKey(position, node: node, last: last, index: &index) else {
                    return nil
                }
                position = next
            }
            if position.pointee != UInt8(ascii: ":") {
                position = JSONToken.skipSpace(position, end: end)
                guard position.pointee == UInt8(ascii: ":") else {
                    return fault.unexpected(at: position, end: end)
                }
            }
            position = JSONToken.skipSpace(position + 1, end: end)
            var target = -1
            if index >= 0 {
                let key = node.pointee.keys + index
                target = key.pointee.node
                expected = key.pointee.next
                if key.pointee.mark == number {
                    forget(target)
                } else {
                    if key.pointee.mark < firstObject { key.pointee.meetings &+= 1 }
                    key.pointee.mark = number
                }
                last = index
            }
            if target < 0 { extraFieldCount &+= 1 }
            guard let next = value(position, target: target, parent: node) else { return nil }
            position = JSONToken.skipSpace(next, end: end)
            if position.pointee == UInt8(ascii: ",") {
                position = JSONToken.skipSpace(position + 1, end: end)
                continue
            }
            guard position.pointee == UInt8(ascii: "}") else {
                return fault.unexpected(at: position, end: end)
            }
            return position + 1
        }
    }

    /// Returns whether the input at `position` is the key with its quotes.
    @inline(__always)
    private func matches(_ key: UnsafeMutablePointer<Key>, _ position: Bytes) -> Bool {
        guard Words.load(position) & key.pointee.firstMask == key.pointee.firstWord else {
            return false
        }
        let count = key.pointee.count
        if count <= 8 { return true }
        if count > ByteChunk.padding - 8, position + count > end { return false }
        var offset = 8
        while offset + 8 <= count {
            if Words.load(position + offset) != Words.load(key.pointee.text + offset) {
                return false
            }
            offset += 8
        }
        return Words.load(position + count - 8) == Words.load(key.pointee.text + count - 8)
    }

    @inline(never)
    private mutating func findKey(
        _ position: Bytes, node: UnsafeMutablePointer<Node>, last: Int, index: inout Int
    ) -> Bytes? {
        guard position < end, position.pointee == JSONToken.quote else {
            return fault.unexpected(at: position, end: end)
        }
        let start = position + 1
        guard let close = JSONToken.closingQuote(start, end: end, fault: &fault) else { return nil }
        let raw = UnsafeBufferPointer(start: start, count: close - start)
        let number = node - nodes
        if raw.contains(JSONToken.backslash) {
            let output = arena.allocate(raw.count)
            let count = JSONToken.unescape(start, count: raw.count, into: output)
            index = tree.keyIndex(UnsafeBufferPointer(start: output, count: count), of: number)
            arena.giveBack(raw.count)
            return close + 1
        }
        index = tree.keyIndex(raw, of: number)
        if index < 0 { index = tree.learnKey(raw, of: number) }
        if index >= 0 {
            if last >= 0 {
                node.pointee.keys[last].next = index
            } else {
                node.pointee.firstKey = index
            }
        }
        return close + 1
    }

    @inline(__always)
    private mutating func value(
        _ start: Bytes, target: Int, parent: UnsafeMutablePointer<Node>
    ) -> Bytes? {
        if target >= 0 {
            let node = nodes + target
            if node.pointee.isLeaf {
                return leaf(start, into: fields + node.pointee.slot, depth: node.pointee.depth)
            }
            return branch(start, node: node)
        }
        var ignored = Field(.absent)
        return leaf(start, into: &ignored, depth: parent.pointee.depth + 1, isWanted: false)
    }

    /// Reads a value that is selected as a whole, or skips it.
    @inline(__always)
    mutating func leaf(
        _ start: Bytes, into field: UnsafeMutablePointer<Field>, depth: Int, isWanted: Bool = true
    ) -> Bytes? {
        let byte = start.pointee
        if byte == JSONToken.quote {
            let text = start + 1
            var position = text
            while true {
                position = Words.endOfPlainText(position)
                if position.pointee == JSONToken.quote {
                    guard position < end else { return fault.note(.incomplete, at: position) }
                    field.pointee = Field(.string, start: text, count: position - text)
                    return position + 1
                }
                if position.pointee == JSONToken.backslash {
                    return escapedString(
                        text, from: position, into: field, isWanted: isWanted)
                }
                guard
                    let next = JSONToken.special(
                        position, end: end, fault: &fault, isLenient: false)
                else { return nil }
                position = next
            }
        }
        if JSONToken.isDigit(byte) || byte == UInt8(ascii: "-") {
            guard let next = JSONToken.number(start, end: end, fault: &fault) else { return nil }
            field.pointee = Field(.number, start: start, count: next - start)
            return next
        }
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            guard let next = nested(start, depth: depth) else { return nil }
            field.pointee = Field(.json, start: start, count: next - start)
            return next
        }
        var kind = Field.Kind.absent
        guard let next = JSONToken.word(start, end: end, fault: &fault, kind: &kind) else {
            return nil
        }
        field.pointee = Field(kind)
        return next
    }

    @inline(never)
    private mutating func escapedString(
        _ text: Bytes, from position: Bytes, into field: UnsafeMutablePointer<Field>, isWanted: Bool
    ) -> Bytes? {
        guard let close = JSONToken.closingQuote(position, end: end, fault: &fault) else {
            return nil
        }
        if isWanted {
            let output = arena.allocate(close - text)
            let count = JSONToken.unescape(text, count: close - text, into: output)
            arena.giveBack(close - text - count)
            field.pointee = Field(.string, start: output, count: count)
        }
        return close + 1
    }

    /// Skips an object or array.
    @inline(never)
    private mutating func nested(_ start: Bytes, depth: Int) -> Bytes? {
        if start[1] == UInt8(ascii: "]") || start[1] == UInt8(ascii: "}"), start + 1 < end,
            start[1] == start[0] + 2
        {
            return start + 2
        }
        var scanner = JSONScanner(depthMax: depthMax - depth)
        var position = start
        switch scanner.run(&position, end: end) {
        case .done: return position
        case .more: return fault.note(.incomplete, at: position)
        case .failed:
            fault = scanner.fault
            return nil
        }
    }
}
