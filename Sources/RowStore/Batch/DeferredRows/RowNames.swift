import GraphModel

/// The names of rows besides their key: values of attributes by which links of the same load refer
/// to them.
///
/// Hashes of keys and names are stored together. The number of the name is part of its hash, which
/// distinguishes it from keys.
struct RowNames {
    /// One part of a name.
    private enum Part {
        /// An attribute: the cell with its value, `nil` if records do not set it, and its value in
        /// a new row.
        case attribute(cell: Int?, defaultValue: StoredValue)
        /// A relationship: the cell with the values by which records refer to its target, in the
        /// same way as the links that use this name.
        case relationship(cell: Int)
    }

    /// The parts of each name.
    private let names: [[Part]]
    /// The index of the name that each link uses; `nil` if it uses the key, or refers to other
    /// objects.
    private let ofLinks: [Int?]
    /// The values of each link's key that are part of the name; `nil` for all.
    private let values: [[Range<Int>]?]

    init(_ plan: ColumnPlan) {
        var lists: [[BulkPlan.KeyPart]] = []
        var ofLinks: [Int?] = []
        var values: [[Range<Int>]?] = []
        for (position, link) in plan.plan.links.enumerated() {
            guard plan.namesByOtherAttribute(link: position) else {
                ofLinks.append(nil)
                values.append(nil)
                continue
            }
            let (parts, ranges) = Self.known(link.key, to: plan.plan)
            let number = lists.firstIndex(of: parts) ?? lists.count
            if number == lists.count { lists.append(parts) }
            ofLinks.append(number)
            values.append(parts == link.key ? nil : ranges)
        }
        self.ofLinks = ofLinks
        self.values = values
        names = lists.map { list in
            list.map { part in
                if part.entity != nil, let cell = plan.plan.cell(of: part.property) {
                    return .relationship(cell: cell)
                }
                return .attribute(
                    cell: plan.plan.attributes.firstIndex(of: part.property),
                    defaultValue: plan.entity.attributes[part.property]?.attribute.defaultValue
                        ?? .null)
            }
        }
    }

    /// Returns the parts of a link's key that can be compared with records, and the ranges of their
    /// values.
    ///
    /// A relationship can be compared only if records identify its target by the same key.
    ///
    /// Without the other parts, a row may wait for a row that it does not refer to, and is then
    /// tried again.
    private static func known(
        _ key: [BulkPlan.KeyPart], to plan: BulkPlan
    ) -> (parts: [BulkPlan.KeyPart], values: [Range<Int>]) {
        var parts: [BulkPlan.KeyPart] = []
        var values: [Range<Int>] = []
        var start = 0
        for part in key {
            let range = start..<(start + part.width)
            start = range.upperBound
            if let entity = part.entity {
                let link = plan.links.first { $0.relationship == part.property }
                guard let link, link.nested == nil, link.destination == entity,
                    link.key == part.key
                else { continue }
            }
            parts.append(part)
            values.append(range)
        }
        return (parts, values)
    }

    /// Returns the hash that a link waits for: the hash of the target's key or name.
    func awaited(_ key: LinkKey, link: Int) -> UInt64 {
        guard let number = ofLinks[link] else { return key.hash }
        guard let ranges = values[link] else { return Self.hash(key.hash, ofName: number) }
        let cells = key.cells
        var hash = KeyHash()
        for cell in ranges.joined() { hash.combine(cells[cell]) }
        return Self.hash(hash.value, ofName: number)
    }

    /// Returns the hashes of the row's names after it is written.
    ///
    /// Values that its record does not set are taken from the defaults of a new row.
    func hashes(_ batch: RowBatch, _ row: Int) -> [UInt64] {
        var hashes: [UInt64] = []
        for (number, parts) in names.enumerated() {
            var hash = KeyHash()
            let isWhole = parts.allSatisfy { part in
                switch part {
                case .attribute(nil, let value): return Self.add(value, to: &hash)
                case .attribute(let place?, let value):
                    let cell = batch[row, place]
                    guard cell.kind != .absent else { return Self.add(value, to: &hash) }
                    hash.combine(cell)
                    return cell.kind != .null
                case .relationship(let place):
                    let cell = batch[row, place]
                    guard cell.kind == .list else {
                        hash.combine(cell)
                        return cell.kind != .null && cell.kind != .absent
                    }
                    for item in cell.listStart..<(cell.listStart + cell.listCount) {
                        hash.combine(batch.item(item))
                    }
                    return true
                }
            }
            if isWhole { hashes.append(Self.hash(hash.value, ofName: number)) }
        }
        return hashes
    }

    /// Adds a value to a hash; returns `false`, and adds nothing, if the value is null.
    private static func add(_ value: StoredValue, to hash: inout KeyHash) -> Bool {
        switch value {
        case .null: return false
        case .integer(let number): hash.combine(BulkCell.integer(number))
        case .real(let number): hash.combine(BulkCell.real(number))
        case .text(var text): text.withUTF8 { hash.combine($0) }
        case .blob(let bytes): bytes.withUnsafeBufferPointer { hash.combine($0) }
        }
        return true
    }

    private static func hash(_ value: UInt64, ofName number: Int) -> UInt64 {
        var hash = KeyHash()
        hash.combine(value)
        hash.combine(UInt64(number))
        return hash.value
    }
}
