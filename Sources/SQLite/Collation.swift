package import GraphModel
internal import CSQLite

/// An order of texts under a name that SQL may use after COLLATE.
package struct Collation: Sendable {
    /// Negative, zero or positive as the first is before, equal to or after the second.
    package typealias Comparison =
        @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int

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
    let compare: Collation.Comparison

    init(_ compare: @escaping Collation.Comparison) {
        self.compare = compare
    }
}

extension Connection {
    /// Makes an order of texts known to this connection; again is no harm.
    package func register(_ collation: Collation) throws(StoreError) {
        // SQLite refuses to exchange one while a statement runs.
        guard registered.insert(collation.name).inserted else { return }
        let box = Unmanaged.passRetained(CollationBox(collation.compare))
        let result = sqlite3_create_collation_v2(
            handle, collation.name, SQLITE_UTF8, box.toOpaque(),
            { box, leftCount, left, rightCount, right in
                guard let box else { return 0 }
                let compare = Unmanaged<CollationBox>.fromOpaque(box).takeUnretainedValue().compare
                let order = compare(
                    UnsafeBufferPointer(
                        start: left?.assumingMemoryBound(to: UInt8.self), count: Int(leftCount)),
                    UnsafeBufferPointer(
                        start: right?.assumingMemoryBound(to: UInt8.self), count: Int(rightCount)))
                return order < 0 ? -1 : order > 0 ? 1 : 0
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
