import RecordStreams

/// Tracks which paths of the spec records had, and which paths they lacked.
///
/// A path can be misspelled only if some record lacks it and no record has it. If there is null or
/// an empty list before the last name of a path, the record does not show whether that name exists.
struct PathSightings {
    /// The presence of a path in one record.
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
    /// Whether every path has been seen.
    var isDone: Bool { unseen.isEmpty }
    /// For each list on a path of the spec, a reader that looks for the path in the list's objects.
    private var probes: [FieldPath: NestedRecords] = [:]

    init(_ paths: [ImportPlan.NamedPath]) {
        unseen = paths
    }

    /// Notes that a table with records has these columns, even if its rows are too short for them.
    mutating func note(columns: [String], _ selection: FieldSelection) {
        let names = Set(columns.map { Array($0.utf8) })
        unseen.removeAll { named in
            named.nested == nil && named.slots.contains { selection.paths[$0].isAmong(names) }
        }
    }

    /// Notes which paths a record or an object in it has.
    ///
    /// - Parameters:
    ///   - nested: The objects of the record that contain the fields; `nil` for the record itself.
    ///   - selection: The paths of the fields.
    ///   - records: The batch that contains the items of list fields.
    ///   - raw: The bytes of the record or the object in the input.
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

    /// Returns the presence of a path that leads into lists but to no value.
    ///
    /// The lists may be empty, or an inner list may have another name.
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

extension FieldPath {
    /// Whether one of the columns of a table has the path's name in UTF-8.
    func isAmong(_ columns: Set<[UInt8]>) -> Bool {
        [text, columnName].contains { $0.map { columns.contains(Array($0.utf8)) } == true }
    }
}
