import RecordStreams

/// Which paths of the spec records had, and which they lacked.
///
/// A path can be misspelt only if some record lacks it and none has it. Where there is null or an
/// empty list before the last name of a path, nothing is known of that name.
struct PathSightings {
    /// What a record tells of a path.
    private enum Sighting {
        case seen
        case lacking
        case unknown
    }

    /// The paths that no record has had.
    private var unseen: [ImportPlan.NamedPath]
    /// The names of the paths that no record has had.
    var unseenNames: [String] { unseen.map(\.name) }
    /// The names of paths that some record lacks.
    private(set) var lacking: Set<String> = []
    /// Whether there is nothing left to look for.
    var isDone: Bool { unseen.isEmpty }
    /// Reads the lists that paths lead into.
    private var probes: [FieldPath: NestedRecords] = [:]

    init(_ paths: [ImportPlan.NamedPath]) {
        unseen = paths
    }

    /// Notes what a record has, or an object in it.
    ///
    /// - Parameters:
    ///   - nested: the objects of the record that it is one of; nil for the record itself.
    ///   - selection: the paths of the fields.
    ///   - records: what the fields' lists are in.
    ///   - raw: the record or the object as it stands in the input.
    mutating func note(
        _ fields: UnsafeBufferPointer<Field>, in nested: ObjectIdentifier?,
        _ selection: FieldSelection, of records: RecordBatch, isTabular: Bool,
        raw: UnsafeBufferPointer<UInt8>
    ) {
        var isAnySeen = false
        for place in unseen.indices where unseen[place].nested == nested {
            var isLacking = false
            for slot in unseen[place].slots {
                switch sighting(
                    of: fields[slot], selection.paths[slot], records, isTabular: isTabular, raw)
                {
                case .seen: unseen[place].isSeen = true
                case .lacking: isLacking = true
                case .unknown: break
                }
            }
            if unseen[place].isSeen {
                isAnySeen = true
            } else if isLacking {
                lacking.insert(unseen[place].name)
            }
        }
        if isAnySeen { unseen.removeAll(where: \.isSeen) }
    }

    private mutating func sighting(
        of field: Field, _ path: FieldPath, _ records: RecordBatch, isTabular: Bool,
        _ raw: UnsafeBufferPointer<UInt8>
    ) -> Sighting {
        switch field.kind {
        case .absent: return .lacking
        case .null where !isTabular && field.isNullBefore: return .unknown
        case .list:
            guard field.count > 0 else { return sighting(ofEmpty: path, raw) }
            return Self.sighting(of: records.items(of: field))
        default: return .seen
        }
    }

    private static func sighting(of items: UnsafeBufferPointer<Field>) -> Sighting {
        var found = Sighting.unknown
        for item in items {
            if item.kind == .absent {
                found = .lacking
            } else if !item.isNullBefore {
                return .seen
            }
        }
        return found
    }

    /// What a record tells of a path that leads into lists and to no value: the lists may be empty,
    /// or the one that is inside another may be called otherwise.
    private mutating func sighting(
        ofEmpty path: FieldPath, _ raw: UnsafeBufferPointer<UInt8>
    ) -> Sighting {
        let endsInList = path.steps.last == .each
        let lists = path.lists
        guard lists.count > 1 else { return endsInList ? .seen : .unknown }
        let probe = probes[path] ?? NestedRecords(FieldSelection(lists))
        probes[path] = probe
        probe.removeAll()
        let blank = raw.prefix { $0 != UInt8(ascii: "{") }.count
        let record = Field(
            .json, start: raw.baseAddress.map { $0 + blank }, count: raw.count - blank)
        guard let fields = probe.read(record) else { return .unknown }
        for (depth, field) in fields.enumerated().reversed() where field.kind == .list {
            switch Self.sighting(of: probe.batch.items(of: field)) {
            case .seen: return endsInList && depth == lists.count - 1 ? .seen : .unknown
            case .lacking: return .lacking
            case .unknown: continue
            }
        }
        return .unknown
    }
}
