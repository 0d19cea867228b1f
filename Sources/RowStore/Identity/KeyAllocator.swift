import GraphModel
import SQLite
import Synchronization

/// An allocator of primary keys, which are unique among all callers.
///
/// The save that writes the rows updates `Z_MAX` in the file. If other processes have allocated
/// keys since then, the save detects it and changes the keys of unsaved objects.
package final class KeyAllocator: Sendable {
    /// The largest plausible counter of keys: a thousand keys per second for 285,000 years.
    ///
    /// A larger one is damaged. Keys of new objects must not follow it, because they would be at
    /// their end soon, and other programs read them as floating-point numbers.
    static let counterMax: Int64 = 1 << 53

    private struct Root {
        /// The next key; `Int64.max` means that no key is left.
        var next: Int64
        /// The value of `Z_MAX` when it was last read from or written to the file.
        var known: Int64
    }

    /// The state by entity number; only root entities are used.
    private let roots: Mutex<[Root]>

    /// Creates an allocator.
    ///
    /// - Parameters:
    ///   - largest: `Z_MAX` of each hierarchy, by the number of its root entity.
    ///   - count: The largest number of an entity.
    package init(_ largest: [Int64: Int64], count: Int) {
        roots = Mutex(
            (0...count).map {
                let key = largest[Int64($0)] ?? 0
                return Root(next: Self.key(after: key), known: key)
            })
    }

    /// Returns the key after another one; a damaged counter may be `Int64.max` already.
    private static func key(after key: Int64) -> Int64 { key < .max ? key + 1 : key }

    /// Returns the next key; `nil` if no key is left.
    package func next(root: Int64) -> Int64? {
        roots.withLock { roots in
            let key = roots[Int(root)].next
            guard key < .max else { return nil }
            roots[Int(root)].next = key + 1
            return key
        }
    }

    /// Returns the next key without allocating it.
    package func peek(root: Int64) -> Int64 {
        roots.withLock { $0[Int(root)].next }
    }

    /// Returns the value of `Z_MAX` when it was last read from or written to the file.
    package func known(root: Int64) -> Int64 {
        roots.withLock { $0[Int(root)].known }
    }

    /// Skips the keys up to one that the file has allocated.
    package func skip(to largest: Int64, root: Int64) {
        roots.withLock {
            $0[Int(root)].next = max($0[Int(root)].next, Self.key(after: largest))
        }
    }

    /// Records the value of `Z_MAX` in the file.
    ///
    /// - Returns: The previously known value.
    @discardableResult
    func note(largest: Int64, root: Int64) -> Int64 {
        roots.withLock { roots in
            let known = roots[Int(root)].known
            roots[Int(root)].known = largest
            roots[Int(root)].next = max(roots[Int(root)].next, Self.key(after: largest))
            return known
        }
    }

    /// Returns unused keys to the allocator, unless later keys have been allocated.
    func giveBack(root: Int64, _ keys: ClosedRange<Int64>) {
        roots.withLock { roots in
            if roots[Int(root)].next == keys.upperBound + 1 {
                roots[Int(root)].next = keys.lowerBound
            }
        }
    }
}

extension StoreError {
    /// Returns an error for a hierarchy without free keys, which only a damaged file causes.
    package static func keysAtEnd(of root: Int64, in schema: StoreLayout) -> StoreError {
        StoreError(
            .corrupt,
            "\(schema.entity(number: root)?.name ?? "?") has no free primary keys:"
                + " its counter in Z_PRIMARYKEY has reached its maximum, \(Int64.max)")
    }

    /// Returns the error for a new row whose primary key another row has; `nil` if this error has
    /// another cause.
    ///
    /// Only a damaged counter allocates a used key.
    package func ofUsedKey(in schema: StoreLayout) -> StoreError? {
        guard constraintColumns == ["Z_PK"],
            let table = schema.tables.first(where: { message.hasSuffix(" \($0.name).Z_PK") })
        else { return nil }
        return StoreError(
            .corrupt,
            "\(table.rootEntity): a new object would get the primary key of another one, because"
                + " the counter in Z_PRIMARYKEY is too low")
    }
}
