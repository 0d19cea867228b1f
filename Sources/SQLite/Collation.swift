package import GraphModel
internal import CSQLite

/// An order of texts under a name that SQL may use after COLLATE.
package struct Collation: Sendable {
    /// Negative, zero or positive as the first is before, equal to or after the second; anything
    /// once the flag is raised.
    package typealias Comparison =
        @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, InterruptFlag?) -> Int

    /// The name in SQL.
    package let name: String
    fileprivate let compare: Comparison

    package init(_ name: String, compare: @escaping Comparison) {
        self.name = name
        self.compare = compare
    }
}

/// Keeps a collation where SQLite holds its address.
private final class CollationBox {
    private let compare: Collation.Comparison
    private let watched: WatchedFlag
    private let database: OpaquePointer

    init(
        _ compare: @escaping Collation.Comparison, _ watched: WatchedFlag,
        on database: OpaquePointer
    ) {
        self.compare = compare
        self.watched = watched
        self.database = database
    }

    /// The order; without a comparison once the flag is raised, as a sort of long texts would go on
    /// for minutes: SQLite looks at nothing while it sorts.
    func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int32 {
        let flag = watched.flag
        let order = flag?.isRaised == true ? 0 : compare(left, right, flag)
        if flag?.isRaised == true {
            // A collation cannot fail. Rows in a wrong order must not be read, either.
            watched.hasLostOrder = true
            sqlite3_interrupt(database)
        }
        return order < 0 ? -1 : order > 0 ? 1 : 0
    }
}

extension Connection {
    /// Makes an order of texts known to this connection; again is no harm.
    package func register(_ collation: Collation) throws(StoreError) {
        // SQLite refuses to exchange one while a statement runs.
        guard registered.insert(collation.name).inserted else { return }
        let box = Unmanaged.passRetained(
            CollationBox(collation.compare, watched, on: handle))
        let result = sqlite3_create_collation_v2(
            handle, collation.name, SQLITE_UTF8, box.toOpaque(),
            { box, leftCount, left, rightCount, right in
                guard let box else { return 0 }
                return Unmanaged<CollationBox>.fromOpaque(box).takeUnretainedValue().order(
                    UnsafeBufferPointer(
                        start: left?.assumingMemoryBound(to: UInt8.self), count: Int(leftCount)),
                    UnsafeBufferPointer(
                        start: right?.assumingMemoryBound(to: UInt8.self), count: Int(rightCount)))
            },
            { box in
                if let box { Unmanaged<CollationBox>.fromOpaque(box).release() }
            })
        guard result == SQLITE_OK else {
            // SQLite does not call the destructor here, unlike elsewhere.
            box.release()
            throw error(result, sql: nil)
        }
    }
}
