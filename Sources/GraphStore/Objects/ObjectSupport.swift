import GraphModel
import Synchronization

/// The state that all contexts of a container share: layouts, classes, and primary keys.
package final class ObjectSupport: Sendable {
    let schema: StoreLayout
    /// The layouts by entity number; `nil` for numbers that no entity has.
    private let layoutsByNumber: [EntityLayout?]
    private let layoutsByName: [String: EntityLayout]
    /// The plans for reading each entity with its descendants, by entity number.
    private let rowPlans: [RowPlan?]
    let keys: KeyAllocator
    /// Whether any entity has derived attributes.
    let hasDerived: Bool
    /// The empty layout for objects of unknown entities.
    let placeholder: EntityLayout
    private let classes = Mutex<[String: ManagedObject.Type]>([:])
    private let transformers = Mutex<[String: any AttributeTransformer]>([:])

    init(_ schema: StoreLayout, largestKeys: [Int64: Int64]) {
        self.schema = schema
        let layouts = schema.entities.map { EntityLayout($0, schema) }
        layoutsByName = Dictionary(
            layouts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        hasDerived = layouts.contains(where: \.hasDerived)
        var byNumber = [EntityLayout?](repeating: nil, count: Int(schema.largestNumber) + 1)
        for layout in layouts { byNumber[Int(layout.number)] = layout }
        layoutsByNumber = byNumber
        let plans = byNumber
        rowPlans = plans.map { layout in layout.map { RowPlan(of: $0, plans) } }
        placeholder = EntityLayout(
            StoreLayout.Entity(
                name: "?", number: 0, superNumber: 0, isAbstract: true, table: "", rootNumber: 0,
                familyNumbers: [], sharesTable: false, attributes: [:], toOnes: [:], toManys: [:]),
            schema)
        keys = KeyAllocator(largestKeys, count: Int(schema.largestNumber))
    }

    func layout(_ number: Int64) -> EntityLayout? {
        number >= 1 && number < layoutsByNumber.count ? layoutsByNumber[Int(number)] : nil
    }

    func layout(named name: String) -> EntityLayout? {
        layoutsByName[name]
    }

    /// Returns the layout of a request's entity.
    func requiredLayout(named name: String) throws(StoreError) -> EntityLayout {
        guard let layout = layout(named: name) else { throw .unknownEntity(name) }
        return layout
    }

    func rowPlan(_ number: Int64) -> RowPlan {
        rowPlans[Int(number)] ?? RowPlan(of: placeholder, layoutsByNumber)
    }

    func register(_ type: ManagedObject.Type, for entity: String) {
        classes.withLock { $0[entity] = type }
    }

    /// Registers a class for its entity, if the entity has no class yet.
    ///
    /// - Returns: Whether the class is registered now.
    func registerIfFree(_ type: ManagedObject.Type) -> Bool {
        guard type != ManagedObject.self, layout(named: type.entityName) != nil else {
            return false
        }
        return classes.withLock {
            if $0[type.entityName] == nil { $0[type.entityName] = type }
            return $0[type.entityName] == type
        }
    }

    func register(_ transformer: any AttributeTransformer, named name: String) {
        transformers.withLock { $0[name] = transformer }
    }

    func transformer(named name: String) -> (any AttributeTransformer)? {
        transformers.withLock { $0[name] }
    }

    /// Returns the class of each entity, by number: its own, or its nearest ancestor's.
    func classesByNumber() -> [ManagedObject.Type] {
        let classes = classes.withLock { $0 }
        return layoutsByNumber.map { layout in
            guard let layout else { return ManagedObject.self }
            for entity in schema.model.lineage(of: layout.name) {
                if let type = classes[entity.name] { return type }
            }
            return ManagedObject.self
        }
    }
}

/// An allocator of primary keys, which are unique among all callers.
///
/// The save that writes the rows updates `Z_MAX` in the file. If other processes have allocated
/// keys since then, the save detects it and changes the keys of unsaved objects.
final class KeyAllocator: Sendable {
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

    init(_ largest: [Int64: Int64], count: Int) {
        roots = Mutex(
            (0...count).map {
                let key = largest[Int64($0)] ?? 0
                return Root(next: Self.key(after: key), known: key)
            })
    }

    /// Returns the key after another one; a damaged counter may be `Int64.max` already.
    private static func key(after key: Int64) -> Int64 { key < .max ? key + 1 : key }

    /// Returns the next key; `nil` if no key is left.
    func next(root: Int64) -> Int64? {
        roots.withLock { roots in
            let key = roots[Int(root)].next
            guard key < .max else { return nil }
            roots[Int(root)].next = key + 1
            return key
        }
    }

    func peek(root: Int64) -> Int64 {
        roots.withLock { $0[Int(root)].next }
    }

    /// Returns the value of `Z_MAX` when it was last read from or written to the file.
    func known(root: Int64) -> Int64 {
        roots.withLock { $0[Int(root)].known }
    }

    /// Skips the keys up to one that the file has allocated.
    func skip(to largest: Int64, root: Int64) {
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
    static func keysAtEnd(of root: Int64, in schema: StoreLayout) -> StoreError {
        StoreError(
            .corrupt,
            "\(schema.entity(number: root)?.name ?? "?") has no free primary keys:"
                + " its counter in Z_PRIMARYKEY has reached its maximum, \(Int64.max)")
    }
}
