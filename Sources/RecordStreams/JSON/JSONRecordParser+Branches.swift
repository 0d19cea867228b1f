/// Support for values that contain selected fields: objects on selected paths, lists of them, and
/// members that are named like a dotted path.
extension JSONRecordParser {
    /// Reads the members that are named like a dotted path, if the path itself led to nothing.
    @inline(never)
    mutating func finishFlatMembers(since before: UInt64, _ after: Bytes?) -> Bytes? {
        hasFlatMembers = false
        for place in tree.flatNodes where nodes[place].flatMark > before {
            let node = nodes + place
            guard let start = node.pointee.flatStart,
                node.pointee.slots.allSatisfy({ fields[$0].leadsToNothing })
            else { continue }
            if inside(start, node: node) == nil { return nil }
        }
        return after
    }

    /// Reads a value that contains selected fields.
    @inline(never)
    mutating func branch(_ start: Bytes, node: UnsafeMutablePointer<Node>) -> Bytes? {
        guard node.pointee.firstFlat >= 0 else { return inside(start, node: node) }
        hasFlatMembers = true
        var flat = node.pointee.firstFlat
        while flat >= 0 {
            nodes[flat].flatStart = start
            nodes[flat].flatMark = objectNumber
            flat = nodes[flat].nextFlat
        }
        guard node.pointee.slots.isEmpty else { return inside(start, node: node) }
        var ignored = Field(.absent)
        return leaf(start, into: &ignored, depth: node.pointee.depth, isWanted: false)
    }

    private mutating func inside(_ start: Bytes, node: UnsafeMutablePointer<Node>) -> Bytes? {
        let after: Bytes?
        let extras = extraFieldCount
        switch start.pointee {
        case UInt8(ascii: "{") where node.pointee.keyCount > 0:
            after = object(start + 1, node: node)
        case UInt8(ascii: "[") where node.pointee.each >= 0: after = list(start + 1, node: node)
        default: return scalarAtBranch(start, node: node)
        }
        if node.pointee.isShared { extraFieldCount = extras }
        if let after, node.pointee.slot >= 0 {
            fields[node.pointee.slot] = Field(.json, start: start, count: after - start)
        }
        return after
    }

    /// Reads a scalar on a selected path.
    ///
    /// A null applies to everything below it and lets a member with the dotted name replace it. Any
    /// other value is stored if the path allows it.
    private mutating func scalarAtBranch(
        _ start: Bytes, node: UnsafeMutablePointer<Node>
    ) -> Bytes? {
        var field = Field(.absent)
        guard let next = leaf(start, into: &field, depth: node.pointee.depth) else { return nil }
        if field.kind == .null {
            for slot in node.pointee.slots { fields[slot] = field }
            for slot in node.pointee.passingSlots { fields[slot] = Field(.null, start: start) }
            for slot in node.pointee.listPassingSlots {
                fields[slot] = Field(.null, start: start, count: next - start)
            }
            return next
        }
        if node.pointee.slot >= 0 { fields[node.pointee.slot] = field }
        if node.pointee.each >= 0 {
            let element = nodes + node.pointee.each
            if element.pointee.slot >= 0 { fields[element.pointee.slot] = field }
        }
        return next
    }

    private mutating func list(_ start: Bytes, node: UnsafeMutablePointer<Node>) -> Bytes? {
        let element = nodes + node.pointee.each
        let isPlain = element.pointee.isLeaf
        let leadsToLists = !element.pointee.innerListSlots.isEmpty
        var position = JSONToken.skipSpace(start, end: end)
        if position.pointee == UInt8(ascii: "]") {
            position += 1
        } else {
            while true {
                if leadsToLists { noteBeginning(of: element) }
                guard
                    let next = isPlain
                        ? plainElement(position, element: element)
                        : branch(position, node: element)
                else { return nil }
                if !isPlain { appendElements(node) }
                position = JSONToken.skipSpace(next, end: end)
                if position.pointee == UInt8(ascii: ",") {
                    position = JSONToken.skipSpace(position + 1, end: end)
                    continue
                }
                guard position.pointee == UInt8(ascii: "]") else {
                    return fault.unexpected(at: position, end: end)
                }
                position += 1
                break
            }
        }
        if isPlain {
            fields[element.pointee.slot] = Field(.list)
        } else {
            for slot in element.pointee.slots { fields[slot] = Field(.list) }
        }
        return position
    }

    @inline(__always)
    private mutating func plainElement(
        _ start: Bytes, element: UnsafeMutablePointer<Node>
    ) -> Bytes? {
        let slot = element.pointee.slot
        let buffer = lists + slot
        if buffer.pointee.count == buffer.pointee.capacity { grow(buffer) }
        let field = buffer.pointee.items + buffer.pointee.count
        guard let next = leaf(start, into: field, depth: element.pointee.depth) else { return nil }
        buffer.pointee.count += 1
        return next
    }

    /// Notes where the inner lists of a list's element begin, before the element is read.
    private func noteBeginning(of element: UnsafeMutablePointer<Node>) {
        let depth = element.pointee.listDepth
        for slot in element.pointee.innerListSlots {
            lists[slot].counts[depth] = lists[slot].count
        }
    }

    /// Moves the values of a list's last element from the slots to their lists.
    private mutating func appendElements(_ node: UnsafeMutablePointer<Node>) {
        for slot in node.pointee.elementSlots {
            let buffer = lists + slot
            if buffer.pointee.count == buffer.pointee.capacity { grow(buffer) }
            buffer.pointee.items[buffer.pointee.count] = fields[slot]
            buffer.pointee.count += 1
            fields[slot] = Field(.absent)
        }
    }

    @inline(never)
    private func grow(_ buffer: UnsafeMutablePointer<ListBuffer>) {
        let capacity = max(16, buffer.pointee.capacity * 2)
        let larger = UnsafeMutablePointer<Field>.allocate(capacity: capacity)
        larger.update(from: buffer.pointee.items, count: buffer.pointee.count)
        buffer.pointee.items.deallocate()
        buffer.pointee.items = larger
        buffer.pointee.capacity = capacity
    }

    /// Discards the values of an earlier member with the same name, so that the last one counts.
    @inline(never)
    mutating func forget(_ target: Int) {
        duplicateKeyCount += 1
        // Members that are named like a dotted path are not read yet.
        guard target >= 0 else { return }
        let depth = nodes[target].listDepth
        for slot in nodes[target].slots {
            fields[slot] = Field(.absent)
            // After the last list of its path, a slot has one value in each element.
            if depth < lists[slot].depth { lists[slot].count = lists[slot].counts[depth] }
        }
    }
}
