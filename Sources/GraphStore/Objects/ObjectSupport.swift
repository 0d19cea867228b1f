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
        layoutsByName = Dictionary(layouts.map { ($0.name, $0) }) { first, _ in first }
        hasDerived = layouts.contains(where: \.hasDerived)
        var byNumber = [EntityLayout?](repeating: nil, count: Int(schema.largestNumber) + 1)
        for layout in layouts { byNumber[Int(layout.number)] = layout }
        layoutsByNumber = byNumber
        let plans = byNumber
        rowPlans = plans.map { layout in layout.map { RowPlan(of: $0, plans) } }
        placeholder = EntityLayout(.unknown, schema)
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
