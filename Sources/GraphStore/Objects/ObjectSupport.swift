import GraphModel
import SQLite
import Synchronization

/// What all contexts of a container share to make objects: layouts, classes, keys.
package final class ObjectSupport: Sendable {
    let schema: StoreLayout
    /// By entity number; nil of numbers that no entity has.
    private let layoutsByNumber: [EntityLayout?]
    private let layoutsByName: [String: EntityLayout]
    /// How rows of each entity and its descendants are read, by number.
    private let rowPlans: [RowPlan?]
    let keys: KeyAllocator
    /// Some entity has derived attributes.
    let hasDerived: Bool
    /// What objects of no known entity have: nothing.
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

    func rowPlan(_ number: Int64) -> RowPlan {
        rowPlans[Int(number)] ?? RowPlan(of: placeholder, layoutsByNumber)
    }

    func register(_ type: ManagedObject.Type, for entity: String) {
        classes.withLock { $0[entity] = type }
    }

    /// Registers a class for its entity, if that has none of its own.
    ///
    /// - Returns: whether it is there now.
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

    /// The class of each entity, by number: its own, else that of its nearest ancestor that has one.
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

/// Hands out primary keys; no two callers get the same.
///
/// `Z_MAX` in the file moves with the save that writes the rows, not before. What other processes
/// took meanwhile is noticed then, and the keys of objects not yet saved are changed.
final class KeyAllocator: Sendable {
    private struct Root {
        /// The next key to hand out; the largest number there is stands for none.
        var next: Int64
        /// `Z_MAX` as last seen in or written to the file.
        var known: Int64
    }

    /// By entity number; only roots are in use.
    private let roots: Mutex<[Root]>

    init(_ largest: [Int64: Int64], count: Int) {
        roots = Mutex(
            (0...count).map {
                let key = largest[Int64($0)] ?? 0
                return Root(next: Self.key(after: key), known: key)
            })
    }

    /// A damaged counter may stand at the largest number there is.
    private static func key(after key: Int64) -> Int64 { key < .max ? key + 1 : key }

    /// The next key; nil where none is left.
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

    /// `Z_MAX` as last seen in or written to the file.
    func known(root: Int64) -> Int64 {
        roots.withLock { $0[Int(root)].known }
    }

    /// The file has given out keys up to this one.
    func skip(to largest: Int64, root: Int64) {
        roots.withLock {
            $0[Int(root)].next = max($0[Int(root)].next, Self.key(after: largest))
        }
    }

    /// Takes note of `Z_MAX` in the file.
    ///
    /// - Returns: what it was known to be before.
    @discardableResult
    func note(largest: Int64, root: Int64) -> Int64 {
        roots.withLock { roots in
            let known = roots[Int(root)].known
            roots[Int(root)].known = largest
            roots[Int(root)].next = max(roots[Int(root)].next, Self.key(after: largest))
            return known
        }
    }

    /// Takes keys back that came to nothing, where nobody took one after them.
    func giveBack(root: Int64, _ keys: ClosedRange<Int64>) {
        roots.withLock { roots in
            if roots[Int(root)].next == keys.upperBound + 1 {
                roots[Int(root)].next = keys.lowerBound
            }
        }
    }
}

extension StoreError {
    /// A hierarchy has no key left, as only a damaged file can say.
    static func keysAtEnd(of root: Int64, in schema: StoreLayout) -> StoreError {
        StoreError(
            .corrupt,
            "\(schema.entity(number: root)?.name ?? "?") has no free primary keys:"
                + " its counter in Z_PRIMARYKEY has reached its maximum, \(Int64.max)")
    }
}
