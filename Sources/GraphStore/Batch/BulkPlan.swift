import GraphModel

/// What a bulk upsert writes: an entity, its key, and where each cell of a row goes.
package struct BulkPlan: Sendable, Hashable {
    /// What to do with a key that no object has.
    package enum MissingPolicy: String, Sendable, Hashable {
        case create, null, skip, reject
    }

    /// What to do with an object that was there before this load.
    package enum FoundPolicy: String, Sendable, Hashable {
        /// What the record says is written.
        case update
        /// The object stays as it is.
        case skip
        /// The record is refused.
        case reject
        /// No object is looked for; the plan has no key.
        case append
    }

    /// What a record's keys do to a to-many relationship.
    package enum ManyPolicy: String, Sendable, Hashable {
        case replace, add, remove
    }

    /// What a key that came before in this load does.
    package enum DuplicatePolicy: String, Sendable, Hashable {
        case last, first, reject
    }

    /// One part of the key by which a link finds an object.
    package struct KeyPart: Sendable, Hashable {
        /// An attribute, or a to-one relationship.
        ///
        /// `ObjectNumber.explicitKey` is the number of an object.
        package var property: String
        /// For a relationship, the entity of the object that it leads to.
        package var entity: String?
        /// For a relationship, the key of that object.
        package var key: [KeyPart]

        /// An attribute.
        package init(_ attribute: String) {
            property = attribute
            entity = nil
            key = []
        }

        /// A to-one relationship, whose object is found by a key of its own.
        package init(_ relationship: String, to entity: String, by key: [KeyPart]) {
            property = relationship
            self.entity = entity
            self.key = key
        }

        /// How many values the part takes.
        var width: Int { entity == nil ? 1 : key.reduce(0) { $0 + $1.width } }
    }

    /// One relationship, set by the key of its destination.
    package struct Link: Sendable, Hashable {
        package var relationship: String
        /// The destination, or one of its sub-entities.
        package var destination: String
        /// The parts of the destination's key.
        ///
        /// If they take several values, a cell is a list of these values, and a cell of a to-many
        /// relationship is one list of the values of all objects.
        package var key: [KeyPart]
        /// How the objects that cells hold themselves are written, whose key `key` is.
        ///
        /// A cell is then a list of their cells, one object behind the other.
        package var nested: BulkPlan?
        /// What rejects call the objects: `items`.
        package var label = ""
        package var missing: MissingPolicy
        /// With `missing: null`: the links that are left out are noted, for `takeMissedLinks()`.
        package var notesMissed = false
        /// Objects are made in place of ones that are elsewhere, as far as that can be done here.
        package var makesStandIns = false
        package var many: ManyPolicy

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

        /// A link by one attribute.
        package init(
            relationship: String, destination: String, attribute: String,
            missing: MissingPolicy = .reject, many: ManyPolicy = .replace
        ) {
            self.init(
                relationship: relationship, destination: destination, key: [KeyPart(attribute)],
                missing: missing, many: many)
        }

        /// The destination's attributes and relationships that identify its objects.
        package var properties: [String] { key.map(\.property) }

        /// Whether a relationship is part of the key.
        var hasRelationshipInKey: Bool { key.contains { $0.entity != nil } }

        /// How many values name one object.
        var keyWidth: Int { key.reduce(0) { $0 + $1.width } }

        /// Whether cells hold the numbers of objects.
        package var isByNumber: Bool { key.first?.property == ObjectNumber.explicitKey }
    }

    package var entity: String
    /// The attributes and to-one relationships that identify objects; each has a cell, except
    /// `owner`.
    ///
    /// Empty for `FoundPolicy.append`.
    package var key: [String]
    /// For objects inside another row, the part of the key that leads to that row's object.
    ///
    /// It has no cell. The link of the other row fills it.
    package var owner: String?
    /// The first cells of a row, in order.
    package var attributes: [String]
    /// The cells after them, in order.
    package var links: [Link]
    package var duplicates: DuplicatePolicy
    package var found = FoundPolicy.update
    /// An object that is so already counts as written.
    package var touchesSame = false
    /// So few rows come that indexes are not put off, to make which anew costs more than to add
    /// each row to them.
    package var expectsFewRows = false

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

    /// The entities of objects inside the rows, at any depth.
    package var nestedEntities: [String] {
        links.compactMap(\.nested).flatMap { [$0.entity] + $0.nestedEntities }
    }

    /// Cells in a row.
    package var width: Int { attributes.count + links.count }

    /// Which cell of a row is an attribute's or a relationship's.
    package func cell(of property: String) -> Int? {
        attributes.firstIndex(of: property)
            ?? links.firstIndex { $0.relationship == property }.map { attributes.count + $0 }
    }

    /// The attribute or relationship of a cell.
    func property(ofCell cell: Int) -> String {
        cell < attributes.count
            ? attributes[cell] : links[cell - attributes.count].relationship
    }
}

/// How many records came to which end, by the net change of each key's row.
package struct BulkTally: Sendable, Hashable, Codable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    /// Records whose object, or that of whose link, was to be left alone.
    package var skipped = 0
    /// Records whose key came again later (or, by policy, before).
    package var superseded = 0
    package var rejected = 0
    /// Objects made because a link named them; no records.
    package var createdTargets = 0
    /// Objects inside records that an earlier item of the same list has the key of; nil for none.
    package var supersededItems: Int?

    package init() {}
}

/// A row that was not written.
package struct BulkReject: Sendable, Hashable {
    /// The row, as the number that was given with it.
    package var token: Int64
    /// `key`, `required`, `link`, `unique`, `validate`, `duplicate` or `found`.
    package var code: String
    /// The attribute or relationship.
    package var property: String?
    /// The value at fault as text, where one is.
    package var value: String?
    package var message: String
    /// What it hangs on besides the row.
    package var hinge: Hinge?
    /// What else is wrong with the row.
    package var others: [Other] = []

    /// Another fault of the row.
    package struct Other: Sendable, Hashable {
        package var code: String
        /// The attribute or relationship.
        package var property: String?
        /// The value at fault as text, where one is.
        package var value: String?
        package var message: String
    }

    /// What a refusal hangs on besides the row, which may be otherwise in another store.
    package enum Hinge: Sendable, Hashable {
        /// It stands against a new object alone: one with the key might have been changed so.
        case newObject
        /// Objects that are there, the row's own or another one, have values that do not fit.
        case storedValues
        /// An object that a link names is not there.
        case missingTarget
    }
}
