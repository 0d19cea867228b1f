import RecordStreams

/// Which members of JSON objects count.
struct MemberTree {
    /// The members that count, with what counts inside them; empty if all do.
    private var members: [[UInt8]: MemberTree] = [:]

    /// Everything counts.
    init() {}

    /// - Parameter names: paths of fields; those that are no path are names of members.
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
        // The whole member counts if any path ends at it.
        if isNew || !inner.members.isEmpty {
            let rest = steps.dropFirst()
            if case .name? = rest.first { inner.add(rest) } else { inner = MemberTree() }
        }
        members[key] = inner
    }

    /// What counts inside a member; nil if it does not count itself.
    func inside(_ name: [UInt8]) -> MemberTree? {
        members.isEmpty ? self : members[name]
    }
}
