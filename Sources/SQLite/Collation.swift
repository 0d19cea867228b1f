package import GraphModel
internal import CSQLite

/// A text collation with a name that SQL can use after COLLATE.
package struct Collation: Sendable {
    /// Returns a negative number, zero, or a positive number if the first string sorts before,
    /// equal to, or after the second; any number once the flag is raised.
    package typealias Comparison =
        @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, InterruptFlag?) -> Int

    /// The name in SQL.
    package let name: String
    fileprivate let compare: Comparison

    /// Creates a collation with a name for SQL and a comparison of UTF-8 strings.
    package init(_ name: String, compare: @escaping Comparison) {
        self.name = name
        self.compare = compare
    }
}

/// A collation whose address SQLite holds.
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

    /// Returns the order of two strings, or 0 without a comparison once the flag is raised.
    ///
    /// SQLite does not check for interrupts during a sort, so a sort of long strings would run for
    /// minutes.
    func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int32 {
        let flag = watched.flag
        let order = flag?.isRaised == true ? 0 : compare(left, right, flag)
        if flag?.isRaised == true {
            // A collation cannot fail, and rows in a wrong order must not be read.
            watched.hasLostOrder = true
            sqlite3_interrupt(database)
        }
        return order < 0 ? -1 : order > 0 ? 1 : 0
    }
}

extension Connection {
    /// Registers a collation; another call has no effect.
    package func register(_ collation: Collation) throws(StoreError) {
        // SQLite cannot replace a collation while a statement runs.
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
            // SQLite does not call the destructor if this call fails, unlike for functions.
            box.release()
            throw error(result, sql: nil)
        }
    }
}
