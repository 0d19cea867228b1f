import GraphModel

/// What rows are known by besides their key: the values of attributes by which links of the same
/// load name them.
///
/// A key's hash and the hashes of names are kept side by side, so that the latter are told apart
/// by the number of their attributes.
struct RowNames {
    private struct Part {
        /// The cell with the value; nil where records do not say it.
        let cell: Int?
        /// What a new row has where its record says nothing.
        let defaultValue: StoredValue
    }

    /// The attributes of each name.
    private let names: [[Part]]
    /// Which name each link uses; nil where it names by the key, or others' objects.
    private let ofLinks: [Int?]

    /// None.
    init() {
        names = []
        ofLinks = []
    }

    init(_ plan: ColumnPlan) {
        var lists: [[String]] = []
        var ofLinks: [Int?] = []
        for (position, link) in plan.plan.links.enumerated() {
            guard plan.namesByOtherAttribute(link: position) else {
                ofLinks.append(nil)
                continue
            }
            let number = lists.firstIndex(of: link.attributes) ?? lists.count
            if number == lists.count { lists.append(link.attributes) }
            ofLinks.append(number)
        }
        self.ofLinks = ofLinks
        names = lists.map { list in
            list.map { name in
                Part(
                    cell: plan.plan.attributes.firstIndex(of: name),
                    defaultValue: plan.entity.attributes[name]?.attribute.defaultValue ?? .null)
            }
        }
    }

    /// What a link's key is awaited by: the hash of the key or of the name that the row has.
    func awaited(_ key: LinkKey, link: Int) -> UInt64 {
        guard ofLinks.indices.contains(link), let number = ofLinks[link] else { return key.hash }
        return Self.hash(key.hash, ofName: number)
    }

    /// The hashes of the names that the row has once it is written; what its record says nothing
    /// of counts as in a new row.
    func hashes(_ batch: RowBatch, _ row: Int) -> [UInt64] {
        var hashes: [UInt64] = []
        for (number, parts) in names.enumerated() {
            var hash = KeyHash()
            let isWhole = parts.allSatisfy { part in
                let cell = part.cell.map { batch[row, $0] } ?? .absent
                guard cell.kind == .absent else {
                    hash.combine(cell)
                    return cell.kind != .null
                }
                return Self.add(part.defaultValue, to: &hash)
            }
            if isWhole { hashes.append(Self.hash(hash.value, ofName: number)) }
        }
        return hashes
    }

    /// - Returns: whether there is a value.
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
