import RecordStreams

/// Inputs with records of one kind that are read in different forms.
///
/// ```
/// users.json   [{"id": 1, "name": "Ann"}]
/// db.json      {"users": [{"id": 1, "name": "Ann"}], "posts": […]}
/// ```
/// Both give `Users`: the names agree, and one of them has all fields of the other.
struct TwinInputs {
    /// The records of an input of which the fields are read.
    private static let recordsMax = 100

    private let inputs: [SampleInput]
    /// The names of the fields of each input that was asked for.
    private var fields: [Int: Set<[UInt8]>] = [:]

    init(_ inputs: [SampleInput]) {
        self.inputs = inputs
    }

    /// Whether two inputs hold records of one kind; tables are of one kind only in one form.
    mutating func areTwins(_ first: Int, _ second: Int) throws(RecordStreamError) -> Bool {
        if inputs[first].form == inputs[second].form { return true }
        return try haveEqualFields(first, second)
    }

    /// Whether one of two inputs, neither of them a table, has all fields of the other.
    private mutating func haveEqualFields(
        _ first: Int, _ second: Int
    ) throws(RecordStreamError) -> Bool {
        guard inputs[first].form.columns == nil, inputs[second].form.columns == nil else {
            return false
        }
        let (one, other) = (try fields(of: first), try fields(of: second))
        guard !one.isEmpty, !other.isEmpty else { return false }
        return one.isSubset(of: other) || other.isSubset(of: one)
    }

    private mutating func fields(of place: Int) throws(RecordStreamError) -> Set<[UInt8]> {
        if let known = fields[place] { return known }
        let tracking = FieldTracking(entities: [], room: DistinctRoom(0))
        let sample = Sample(entityName: "", first: inputs[place], tracking: tracking, nulls: [])
        try sample.read(inputs[place], limit: Self.recordsMax)
        let found = Set(sample.root.members.map(\.name))
        fields[place] = found
        return found
    }

    /// The entities of the inputs, where the name of a document gives way to that of its only array
    /// if another input has that name and records of that kind.
    mutating func names(_ wanted: [String]) throws(RecordStreamError) -> [String] {
        var names = wanted
        for (place, input) in inputs.enumerated() {
            guard let own = input.arrayName.map(InferredNames.entity(ofField:)),
                own != wanted[place]
            else { continue }
            for other in inputs.indices where other != place && wanted[other] == own {
                // Arrays of one name in two documents need not be of one kind.
                guard try haveEqualFields(place, other) else { continue }
                names[place] = own
                break
            }
        }
        return names
    }
}
