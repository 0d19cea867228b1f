import GraphModel

/// A request's results in sections, with the context's pending changes.
struct SectionedObjects<Object: ManagedObject> {
    var sections: [(name: String, objects: [Object])] = []

    var snapshot: ResultSnapshot {
        ResultSnapshot(
            sections: sections.map { section in
                ResultSnapshot.Section(
                    name: section.name, objectIDs: section.objects.map(\.objectID))
            })
    }
}

extension ManagedObjectContext {
    /// Fetches objects and groups them into sections by the value at a key path.
    func sections<Object>(
        _ request: FetchRequest<Object>, by keyPath: String?
    ) throws(StoreError) -> SectionedObjects<Object> {
        let objects = try fetch(request)
        guard let keyPath else { return SectionedObjects(sections: [("", objects)]) }
        let path = container.model.folded(
            keyPath.keyPath, from: request.entityName)
        var result = SectionedObjects<Object>()
        var seen: Set<String> = []
        for object in objects {
            let name = try Self.sectionName(of: object, path)
            if result.sections.last?.name != name {
                guard seen.insert(name).inserted else {
                    throw StoreError(
                        .invalidRequest,
                        "The order does not keep the section '\(name)' together; sort by"
                            + " '\(keyPath)' or an equivalent property first")
                }
                result.sections.append((name, []))
            }
            result.sections[result.sections.count - 1].objects.append(object)
        }
        return result
    }

    /// Returns the value at a key path as a string; empty for `nil`.
    private static func sectionName(
        of object: ManagedObject, _ path: [String]
    ) throws(StoreError) -> String {
        var here = object
        for (position, key) in path.enumerated() {
            let isLast = position == path.count - 1
            switch try here.value(forKey: key) {
            case .attribute(let value) where isLast:
                switch value {
                case .null: return ""
                case .integer(let number): return "\(number)"
                case .real(let number): return "\(number)"
                case .text(let text): return text
                case .blob: break
                }
            case .object(let next?) where !isLast:
                here = next
                continue
            case .object(nil): return ""
            default: break
            }
            throw StoreError(
                .invalidRequest,
                "'\(path.joined(separator: "."))' has no single value that could name a section")
        }
        return ""
    }
}
