/// A cache of the last positions of owners whose ordered objects are appended one by one.
///
/// Without it, SQLite would read all of an owner's links to find such a position. The positions are
/// valid until another writer may have written links.
struct LastOrders {
    /// The maximum number of owners in the cache.
    private static let ownersMax = 1 << 14

    private var orders: [Int64: Int64] = [:]

    subscript(owner: Int64) -> Int64? {
        get { orders[owner] }
        set {
            if newValue != nil, orders.count >= Self.ownersMax, orders[owner] == nil { removeAll() }
            orders[owner] = newValue
        }
    }

    mutating func removeAll() { orders.removeAll(keepingCapacity: true) }
}
