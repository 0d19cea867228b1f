import GraphModel

/// The plan of a bulk upsert: an entity, its key, and the property of each cell in a row.
package struct BulkPlan: Sendable, Hashable {
    /// What to do if no object has the key.
    package enum MissingPolicy: String, Sendable, Hashable {
        case create, null, skip, reject
    }

    /// What to do if an object with the key existed before this load.
    package enum FoundPolicy: String, Sendable, Hashable {
        /// Writes the values that the record sets.
        case update
        /// Leaves the object unchanged.
        case skip
        /// Rejects the record.
        case reject
        /// Inserts without a lookup; the plan has no key.
        case append
    }

    /// What to do if no object has the key of a record.
    package enum AbsentPolicy: String, CaseIterable, Sendable, Hashable {
        /// Inserts an object.
        case create
        /// Rejects the record.
        case reject
    }

    /// How the keys of a record change a to-many relationship.
    package enum ManyPolicy: String, CaseIterable, Sendable, Hashable {
        case replace, add, remove
    }

    /// What to do if an earlier record of this load has the same key.
    package enum DuplicatePolicy: String, CaseIterable, Sendable, Hashable {
        case last, first, reject
    }

    /// One part of the key by which a link finds an object.
    package struct KeyPart: Sendable, Hashable {
        /// The name of an attribute or of a to-one relationship.
        ///
        /// `ObjectNumber.explicitKey` stands for the primary key of an object.
        package var property: String
        /// The entity of the target, for a relationship.
        package var entity: String?
        /// The key of the target, for a relationship.
        package var key: [KeyPart]

        /// Creates a part from an attribute.
        package init(_ attribute: String) {
            property = attribute
            entity = nil
            key = []
        }

        /// Creates a part from a to-one relationship whose target has a separate key.
        package init(_ relationship: String, to entity: String, by key: [KeyPart]) {
            property = relationship
            self.entity = entity
            self.key = key
        }

        /// The number of values in the part.
        var width: Int { entity == nil ? 1 : key.reduce(0) { $0 + $1.width } }
    }

    /// A relationship that is set by the key of its target.
    package struct Link: Sendable, Hashable {
        /// The name of the relationship to set.
        package var relationship: String
        /// The entity of the target: the destination, or one of its sub-entities.
        package var destination: String
        /// The parts of the target's key.
        ///
        /// If they have several values, a cell is a list of these values. The cell of a to-many
        /// relationship is one list of the values of all objects.
        package var key: [KeyPart]
        /// The plan for nested objects, whose cells the record contains and whose key is `key`.
        ///
        /// A cell is then a list of the cells of all objects, in sequence. An object whose plan has
        /// no cells is one absent cell.
        package var nested: BulkPlan?
        /// The name of the objects in reject messages, such as `items`.
        package var label = ""
        /// The policy for keys that no object has.
        package var missing: MissingPolicy
        /// Whether missing links are noted for `takeMissedLinks()`, with `missing: null`.
        package var notesMissed = false
        /// Whether stand-in objects are created for targets that are not in this store, if
        /// possible.
        package var makesStandIns = false
        /// How the keys change the relationship, if it is a to-many.
        package var many: ManyPolicy

        /// Creates a link by a key of one or more parts.
        package init(
            relationship: String, destination: String, key: [KeyPart],
            missing: MissingPolicy = .reject, many: ManyPolicy = .replace
        ) {
            self.relationship = relationship
            self.destination = destination
            self.key = key
            self.missing = missing
            self.many = many
        }

        /// Creates a link by one attribute.
        package init(
            relationship: String, destination: String, attribute: String,
            missing: MissingPolicy = .reject, many: ManyPolicy = .replace
        ) {
            self.init(
                relationship: relationship, destination: destination, key: [KeyPart(attribute)],
                missing: missing, many: many)
        }

        /// The attributes and relationships of the destination that identify its objects.
        package var properties: [String] { key.map(\.property) }

        /// Whether the key contains a relationship.
        var hasRelationshipInKey: Bool { key.contains { $0.entity != nil } }

        /// The number of values that identify one object.
        var keyWidth: Int { key.reduce(0) { $0 + $1.width } }

        /// Whether cells contain the primary keys of objects.
        package var isByNumber: Bool { key.first?.property == ObjectNumber.explicitKey }
    }

    /// The name of the entity of new objects.
    package var entity: String
    /// The attributes and to-one relationships that identify objects; each has a cell, except
    /// `owner`.
    ///
    /// It is empty for `FoundPolicy.append`.
    package var key: [String]
    /// For nested objects, the part of the key that refers to the owning row's object.
    ///
    /// It has no cell; the link of the owning row sets it.
    package var owner: String?
    /// The attributes of a row's first cells, in order.
    package var attributes: [String]
    /// The links of the cells after the attributes, in order.
    package var links: [Link]
    /// The policy for records with the same key as an earlier record of this load.
    package var duplicates: DuplicatePolicy
    /// The policy for records whose object existed before this load.
    package var found = FoundPolicy.update
    /// The policy for records whose key no object has.
    package var absent = AbsentPolicy.create
    /// Whether an object without changes counts as written.
    package var touchesSame = false
    /// Whether a deletion after the load spares the objects that links with `missing: create` name.
    package var sparesTargets = false
    /// Whether so few rows are expected that indexes are not deferred, because rebuilding them
    /// would cost more than updating them for each row.
    package var expectsFewRows = false

    /// Creates a plan that updates existing objects; set `found` to change this.
    package init(
        entity: String, key: [String], attributes: [String], links: [Link] = [],
        duplicates: DuplicatePolicy = .last
    ) {
        self.entity = entity
        self.key = key
        self.attributes = attributes
        self.links = links
        self.duplicates = duplicates
    }

    /// The entities of nested objects, at any depth.
    package var nestedEntities: [String] {
        links.compactMap(\.nested).flatMap { [$0.entity] + $0.nestedEntities }
    }

    /// The number of cells in a row.
    package var width: Int { attributes.count + links.count }

    /// Returns the cell of an attribute or relationship.
    package func cell(of property: String) -> Int? {
        attributes.firstIndex(of: property)
            ?? links.firstIndex { $0.relationship == property }.map { attributes.count + $0 }
    }

    /// Returns the attribute or relationship of a cell.
    func property(ofCell cell: Int) -> String {
        cell < attributes.count
            ? attributes[cell] : links[cell - attributes.count].relationship
    }
}

/// The number of records by result, according to the net change of each key's row.
package struct BulkTally: Sendable, Hashable, Codable {
    /// Records that inserted an object.
    package var inserted = 0
    /// Records that changed an existing object, including one that a link has created.
    package var updated = 0
    /// Records whose existing object has no net change.
    package var unchanged = 0
    /// Records skipped because their object, or a link's target, must be left unchanged.
    package var skipped = 0
    /// Records superseded by a later record with the same key or, depending on the policy, by an
    /// earlier one.
    package var superseded = 0
    /// Records that were rejected; each has one `BulkReject`.
    package var rejected = 0
    /// The number of records that are written or need no write, so without rejects.
    package var records: Int { inserted + updated + unchanged + skipped + superseded }
    /// Objects created as link targets; these are not records.
    package var createdTargets = 0
    /// Nested objects with the key of an earlier item in the same list; `nil` if none.
    package var supersededItems: Int?

    /// Creates a tally without records.
    package init() {}
}

/// A row that was rejected.
package struct BulkReject: Sendable, Hashable {
    /// The token that the caller gave for the row.
    package var token: Int64
    /// The reason: `key`, `required`, `link`, `unique`, `validate`, `duplicate`, or `found`.
    package var code: String
    /// The attribute or relationship with the fault.
    package var property: String?
    /// The invalid value as text, if any.
    package var value: String?
    /// The reason as a sentence, without the record's position in the input.
    package var message: String
    /// The condition outside the row that the rejection depends on.
    package var hinge: Hinge?
    /// Other faults of the row; if there are too many, the last one states their number.
    package var others: [Other] { otherFaults.shown }
    var otherFaults = FaultList()

    /// Another fault of the row.
    package struct Other: Sendable, Hashable {
        /// The reason, one of the codes of `BulkReject`.
        package var code: String
        /// The attribute or relationship with the fault.
        package var property: String?
        /// The invalid value as text, if any.
        package var value: String?
        /// The reason as a sentence, without the record's position in the input.
        package var message: String
    }

    /// A condition outside the row that a rejection depends on, and that may differ in another
    /// store.
    package enum Hinge: Sendable, Hashable {
        /// The rejection applies to a new object only; an existing object with the key could have
        /// been changed.
        case newObject
        /// Existing objects, the row's own or others, have conflicting values.
        case storedValues
        /// The target of a link does not exist.
        case missingTarget
    }
}
