public import GraphModel

/// Reads and writes of slots, which all other accessors use.
extension ManagedObject {
    // MARK: Attributes

    /// Returns an attribute's value; fires a fault.
    final func attribute(_ slot: Int) throws(StoreError) -> StoredValue {
        if presence != .realized {
            if let value = extra?.partial?.attribute(slot) {
                try link.examine(layout)
                return value
            }
            try realize()
        }
        if link.isGuarded { try link.examine(layout) }
        return values[slot]
    }

    /// Sets an attribute, converting the value to the attribute's type or throwing.
    final func setAttribute(_ slot: Int, _ value: StoredValue) throws(StoreError) {
        let context = try changeable()
        let value =
            layout.slots[slot].holdsAsIs(value)
            ? value : try layout.attributes[slot].fitting(value, of: layout.name)
        let isOther = !value.isIdentical(to: values[slot])
        context.willChange(self, bit: slot, isOther: isOther)
        if isOther { values[slot] = value }
    }

    /// Sets an attribute without change tracking, for `awakeFromFetch` and caches.
    ///
    /// The save of a change ignores the value; the save of a new object writes it.
    ///
    /// - Throws: `.validation` or `.invalidRequest` if the attribute cannot hold the value.
    public final func setPrimitiveValue(
        _ value: StoredValue, forKey key: String
    ) throws(StoreError) {
        guard case .attribute(let slot) = try property(key) else {
            throw StoreError(.invalidRequest, "'\(layout.name).\(key)' is not an attribute")
        }
        if presence == .fault { try realize() }
        if link.isGuarded { try link.examine(layout) }
        values[slot] =
            layout.slots[slot].holdsAsIs(value)
            ? value : try layout.attributes[slot].fitting(value, of: layout.name)
    }

    /// Returns an attribute's value without calling overridden accessors.
    public final func primitiveValue(forKey key: String) throws(StoreError) -> StoredValue {
        guard case .attribute(let slot) = try property(key) else {
            throw StoreError(.invalidRequest, "'\(layout.name).\(key)' is not an attribute")
        }
        return try attribute(slot)
    }

    // MARK: Relationships

    final func toOne(_ slot: Int) throws(StoreError) -> ManagedObject? {
        guard let id = try toOneID(slot) else { return nil }
        return try live().object(with: id)
    }

    final func toOneID(_ slot: Int) throws(StoreError) -> ManagedObjectID? {
        if presence != .realized {
            if let id = extra?.partial?.toOne(slot) {
                try link.examine(layout)
                return id
            }
            try realize()
        }
        if link.isGuarded { try link.examine(layout) }
        return links[slot]
    }

    final func setToOne(_ slot: Int, _ object: ManagedObject?) throws(StoreError) {
        let context = try changeable()
        if let object { try context.checkDestination(object, layout.toOnes[slot].relationship) }
        try context.setLink(self, slot, object)
    }

    final func toMany(_ slot: Int) throws(StoreError) -> [ManagedObject] {
        let ids = try toManyIDs(slot)
        let context = try live()
        return ids.map { context.object(with: $0) }
    }

    /// Returns the IDs of a to-many; fires its fault but creates no objects.
    final func toManyIDs(_ slot: Int) throws(StoreError) -> [ManagedObjectID] {
        if link.isGuarded { try link.examine(layout) }
        if lists.isEmpty { prepareLists() }
        if lists[slot].isFault {
            if let context = link.context {
                try context.loadList(of: self, slot)
            } else {
                try link.rowsWithoutContext(layout).loadList(of: self, slot)
            }
        }
        return lists[slot].current?.ids ?? []
    }

    final func setToMany(_ slot: Int, _ objects: [ManagedObject]) throws(StoreError) {
        let context = try changeable(readsRow: false)
        for object in objects {
            try context.checkDestination(object, layout.toManys[slot].relationship)
        }
        try context.setList(self, slot, objects.map(\.objectID))
    }

    /// Returns the IDs of a relationship's destinations, in order, without creating objects.
    public final func objectIDs(for key: String) throws(StoreError) -> [ManagedObjectID] {
        switch try property(key) {
        case .toOne(let slot): return try toOneID(slot).map { [$0] } ?? []
        case .toMany(let slot): return try toManyIDs(slot)
        case .attribute:
            throw StoreError(.invalidRequest, "'\(layout.name).\(key)' is not a relationship")
        }
    }

    /// Returns whether a to-many must still be read from the store.
    ///
    /// A to-one is a fault only if its object is.
    public final func hasFault(for key: String) -> Bool {
        guard case .toMany(let slot)? = layout.properties[key] else { return isFault }
        return lists.isEmpty ? isStored : lists[slot].isFault
    }

    // MARK: Validity

    /// Returns the context; throws if it does not exist.
    final func live() throws(StoreError) -> ManagedObjectContext {
        if let context = link.context { return context }
        throw link.missingContext(layout)
    }

    /// Returns the context of an object that is about to be changed.
    ///
    /// - Parameter readsRow: Whether the change needs the object's values in memory.
    /// - Throws: `.inaccessible` if the object's row was deleted, because no save can write the
    ///   change.
    final func changeable(readsRow: Bool = true) throws(StoreError) -> ManagedObjectContext {
        let context = try live()
        if lists.isEmpty { prepareLists() }
        if readsRow, presence != .realized { try realize() }
        guard !hasNoRow || pending != .none else { throw ManagedObjectContext.inaccessible(self) }
        return context
    }

    /// Loads the row into memory.
    final func realize() throws(StoreError) {
        if let context = link.context { return try context.fire(self) }
        try link.rowsWithoutContext(layout).fire(self)
    }

    /// Sets the initial values of a new object.
    final func becomeNew() {
        values = layout.defaults
        links = layout.emptyLinks
        lists = layout.emptyLists
        presence = .realized
        isStored = false
    }

    /// Creates the to-many slots: faults for a stored object, empty lists for a new one.
    final func prepareLists() {
        guard lists.count != layout.toManys.count else { return }
        lists = layout.toManys.map {
            isStored ? ToManyState() : .empty(isOrdered: $0.isOrdered)
        }
    }
}

extension EntityLayout.Slot {
    /// Returns whether the column can store the value unchanged, which is the usual case.
    func holdsAsIs(_ value: StoredValue) -> Bool {
        switch (type, value) {
        case (_, .null), (.string, .text), (.uuid, .blob), (.binary, .blob): true
        case (.double, .real(let number)): number.isFinite
        case (.date, .integer): true
        case (.decimal, .integer): !isExactDecimal
        case (.date, .real(let number)): number.isFinite && Int64(exactly: number) == nil
        case (.decimal, .real(let number)):
            !isExactDecimal && number.isFinite && Int64(exactly: number) == nil
        case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
            (.integer64, .integer(let number)), (.boolean, .integer(let number)):
            number >= least && number <= largest
        default: false
        }
    }
}

extension AttributeDescription {
    /// Throws if the number is NaN or infinite, which no attribute can hold.
    func requireFinite(_ number: Double, of entity: String) throws(StoreError) {
        guard !number.isFinite else { return }
        throw StoreError(
            .validation, "'\(entity).\(name)' cannot hold \(number), because it is not finite")
    }
}

extension EntityLayout.Attribute {
    /// Returns the value as the attribute's column stores it; throws if it has the wrong type or
    /// size.
    func fitting(_ value: StoredValue, of entity: String) throws(StoreError) -> StoredValue {
        if case .real(let number) = value { try description.requireFinite(number, of: entity) }
        if description.isExactDecimal { return try exact(value, of: entity) }
        switch (description.type, value) {
        case (_, .null), (.undefined, _), (.transformable, .blob), (.binary, .blob), (.uuid, .blob),
            (.string, .text), (.uri, .text):
            return value
        case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
            (.integer64, .integer(let number)), (.boolean, .integer(let number)):
            if let limits, number < limits.0 || number > limits.1 {
                throw StoreError(
                    .validation,
                    "\(number) does not fit into '\(entity).\(name)' (\(description.type.rawValue))"
                )
            }
            return value
        case (.double, .integer(let number)): return .real(Double(number))
        case (.float, .integer(let number)): return .real(Double(Float(number)))
        case (.float, .real(let number)):
            let float = Float(number)
            guard float.isFinite else {
                throw StoreError(
                    .validation, "\(number) does not fit into '\(entity).\(name)' (Float)")
            }
            return .real(Double(float))
        case (.double, .real): return value
        case (.date, .integer), (.decimal, .integer): return value
        case (.date, .real(let number)), (.decimal, .real(let number)):
            // The format stores whole numbers as integers.
            if let whole = Int64(exactly: number) { return .integer(whole) }
            return value
        case (.decimal, .text(var text)):
            // The format stores it as a double.
            guard let number = text.withUTF8({ ScalarParser.double($0) }) else {
                throw misfit(value, of: entity)
            }
            return Int64(exactly: number).map { .integer($0) } ?? .real(number)
        default: throw misfit(value, of: entity)
        }
    }

    /// Returns the canonical text of a decimal.
    private func exact(
        _ value: StoredValue, of entity: String
    ) throws(StoreError) -> StoredValue {
        if case .null = value { return value }
        guard let number = ExactDecimal(value) else { throw misfit(value, of: entity) }
        guard number.isStorable else {
            throw StoreError(
                .validation,
                "\(value) does not fit into '\(entity).\(name)' (Decimal): it has more than 165"
                    + " digits before the point or 128 after it")
        }
        return .text(number.text)
    }

    private func misfit(_ value: StoredValue, of entity: String) -> StoreError {
        StoreError(
            .invalidRequest,
            "'\(entity).\(name)' (\(description.type.rawValue)) cannot hold "
                + value.forMessage)
    }
}

extension StoredValue {
    /// The value in an error message, which shows the start of a long text.
    fileprivate var forMessage: String {
        switch self {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "the text '\(text.prefix(60))\(text.count > 60 ? "…" : "")'"
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }

    /// Returns whether the values have the same bytes.
    ///
    /// Strings are compared like in the store, not by Unicode equivalence.
    func isIdentical(to other: StoredValue) -> Bool {
        switch (self, other) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.null, .null): true
        case (.null, _), (_, .null): false
        default: self == other
        }
    }
}
