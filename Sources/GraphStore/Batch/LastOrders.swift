/// The last places in the orders of owners who get one object after the other.
///
/// SQLite finds such a place only by reading all of an owner's links. They are good until someone
/// else may have written links.
struct LastOrders {
    /// Owners whose last place is remembered at a time.
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
