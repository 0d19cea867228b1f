import GraphModel
import RecordStreams

/// Inputs with records of one kind that are read in different forms.
///
/// ```
/// users.json   [{"id": 1, "name": "Ann"}]
/// db.json      {"users": [{"id": 1, "name": "Ann"}], "posts": […]}
/// users.csv    id,name,age
/// ```
/// All are inputs of `Users`: their names match, and so do their fields, although some fields may
/// be in only one input.
struct TwinInputs {
    /// The maximum number of records of an input from which the fields are read.
    private static let recordsMax = 100

    private let inputs: [SampleInput]
    private let known: InferenceOptions
    /// The folded names of the fields of each input that has been read.
    private var fields: [Int: Set<String>] = [:]

    init(_ inputs: [SampleInput], _ known: InferenceOptions) {
        self.inputs = inputs
        self.known = known
    }

    /// Returns the indexes of the inputs of each entity.
    ///
    /// - Parameter wanted: the entity names that the inputs suggest.
    mutating func groups(_ wanted: [String]) throws(RecordStreamError) -> [[Int]] {
        var groups: [[Int]] = []
        for place in inputs.indices {
            var home: Int?
            for (number, group) in groups.enumerated()
            where home == nil && InferredNames.isSame(wanted[group[0]], wanted[place]) {
                for other in group where home == nil {
                    if try areTwins(other, place, wanted[place]) { home = number }
                }
            }
            if let home { groups[home].append(place) } else { groups.append([place]) }
        }
        return groups
    }

    /// Whether two inputs hold records of the same kind.
    private mutating func areTwins(
        _ first: Int, _ second: Int, _ entity: String
    ) throws(RecordStreamError) -> Bool {
        if inputs[first].form == inputs[second].form { return true }
        return agree(try fields(of: first), try fields(of: second), entity)
    }

    /// Whether two sets of fields share the key, or at least half of the smaller set.
    private func agree(_ one: Set<String>, _ other: Set<String>, _ entity: String) -> Bool {
        // An input without records may be of any kind.
        guard !one.isEmpty, !other.isEmpty else { return true }
        let common = one.intersection(other)
        guard !common.isEmpty else { return false }
        return common.count * 2 >= min(one.count, other.count) || hasKey(common, of: entity)
    }

    private func hasKey(_ fields: Set<String>, of entity: String) -> Bool {
        let names = known.storeModel?.entities.map(\.name) ?? []
        let stored = InferredNames.match(entity, names)
        var keys = stored.flatMap { known.storeModel?.uniquenessConstraints(of: $0) } ?? []
        if !known.key.isEmpty { keys.append(known.key) }
        let isKnown = keys.contains { key in
            fields.isSuperset(of: key.map(InferredNames.folded))
        }
        if isKnown || stored != nil { return isKnown }
        let owners = [entity, InferredNames.singular(entity)].map(InferredNames.folded)
        return fields.contains { field in
            owners.contains {
                KeyNames.rank(field, of: $0).map { $0 <= KeyNames.lastOfIDs } ?? false
            }
        }
    }

    private mutating func fields(of place: Int) throws(RecordStreamError) -> Set<String> {
        if let known = fields[place] { return known }
        var names = inputs[place].form.columns
        if names == nil {
            let tracking = FieldTracking(entities: [], valueLimit: DistinctValueLimit(0))
            let sample = Sample(
                entityName: "", first: inputs[place], hasTables: false, tracking: tracking,
                nulls: [])
            try sample.read(inputs[place], limit: Self.recordsMax)
            names = sample.root.members.map(\.text)
        }
        let found = Set((names ?? []).map(InferredNames.folded))
        fields[place] = found
        return found
    }

    /// Returns the entity name of each input.
    ///
    /// The name of a document's only array replaces the name of the document if another input, or
    /// the store, has that name and records of the same kind.
    mutating func names(_ wanted: [String]) throws(RecordStreamError) -> [String] {
        var names = wanted
        for (place, input) in inputs.enumerated() {
            guard let own = input.arrayName.map(InferredNames.entity(ofField:)),
                own != wanted[place]
            else { continue }
            if try isStored(own, and: wanted[place], place) {
                names[place] = own
                continue
            }
            for other in inputs.indices where other != place && wanted[other] == own {
                // Arrays with the same name in two documents may be of different kinds.
                guard try agree(fields(of: place), fields(of: other), own) else { continue }
                names[place] = own
                break
            }
        }
        return names
    }

    /// Whether the store has the entity of an array with its fields, and not the entity of the
    /// file.
    private mutating func isStored(
        _ array: String, and file: String, _ place: Int
    ) throws(RecordStreamError) -> Bool {
        guard let model = known.storeModel else { return false }
        let names = model.entities.map(\.name)
        guard InferredNames.match(file, names) == nil,
            let entity = InferredNames.match(array, names)
        else { return false }
        let properties =
            model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
        return agree(
            try fields(of: place), Set(properties.map(InferredNames.folded)), entity)
    }
}
