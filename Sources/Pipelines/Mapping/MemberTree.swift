import RecordStreams

/// A selection of members of JSON objects.
struct MemberTree {
    /// The selected members with the selections inside them; if empty, all members are selected.
    private var members: [[UInt8]: MemberTree] = [:]

    /// Selects all members.
    init() {}

    /// Selects members by path.
    ///
    /// - Parameter names: Paths of fields; a text that is not a valid path is the name of a member.
    init(_ names: [String]) {
        for name in names {
            let path = (try? FieldPath(parsing: name)) ?? FieldPath(name: name)
            add(path.steps[...])
        }
    }

    private mutating func add(_ steps: ArraySlice<FieldPath.Step>) {
        guard case .name(let name)? = steps.first else { return }
        let key = Array(name.utf8)
        let isNew = members[key] == nil
        var inner = members[key] ?? MemberTree()
        // If any path ends at the member, the complete member is selected.
        if isNew || !inner.members.isEmpty {
            let rest = steps.dropFirst()
            if case .name? = rest.first { inner.add(rest) } else { inner = MemberTree() }
        }
        members[key] = inner
    }

    /// Returns the selection inside a member, or `nil` if the member is not selected.
    func inside(_ name: [UInt8]) -> MemberTree? {
        members.isEmpty ? self : members[name]
    }
}
