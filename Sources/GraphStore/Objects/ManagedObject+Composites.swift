import GraphModel

/// Access to composite attributes as dictionaries of their elements, which have separate slots.
///
/// ```swift
/// try quake.setValue(["richter": 5.4, "agency": "USGS"], forKey: "magnitude")
/// try quake.value(forKey: "magnitude.richter")
/// quake[.double("magnitude.richter")] = 5.5
/// ```
extension ManagedObject {
    /// Returns the elements that have values; nested composites are dictionaries.
    ///
    /// If no element has a value, the result is null.
    ///
    /// - Parameters:
    ///   - slots: The slots of the elements.
    ///   - value: Returns the value of a slot.
    final func composite(
        _ path: String, _ slots: [Int], _ value: (Int) throws(StoreError) -> StoredValue
    ) throws(StoreError) -> PropertyValue {
        var elements: [String: PropertyValue] = [:]
        for slot in slots {
            let rest = layout.attributeNames[slot].dropFirst(path.count + 1)
            let name = String(rest.prefix { $0 != "." })
            if name.utf8.count == rest.utf8.count {
                let stored = try value(slot)
                if stored != .null { elements[name] = .attribute(stored) }
            } else if elements[name] == nil, let inner = layout.composites["\(path).\(name)"] {
                let nested = try composite("\(path).\(name)", inner, value)
                if case .composite = nested { elements[name] = nested }
            }
        }
        return elements.isEmpty ? nil : .composite(elements)
    }

    /// Sets all elements whose values differ, or none if one of the values is invalid.
    final func setComposite(
        _ path: String, _ slots: [Int], _ value: PropertyValue
    ) throws(StoreError) {
        var values = Dictionary(uniqueKeysWithValues: slots.map { ($0, StoredValue.null) })
        try gather(value, at: path, into: &values)
        for (slot, value) in values where !layout.slots[slot].holdsAsIs(value) {
            _ = try layout.attributes[slot].fitting(value, of: layout.name)
        }
        for slot in slots {
            let value = values[slot] ?? .null
            if try attribute(slot) != value { try setAttribute(slot, value) }
        }
    }

    private func gather(
        _ value: PropertyValue, at path: String, into values: inout [Int: StoredValue]
    ) throws(StoreError) {
        let isComposite = layout.composites[path] != nil
        // An unknown name is reported as unknown, whatever its value.
        let place = isComposite ? nil : try property(path)
        switch (value, place) {
        case (.attribute(.null), _): return
        case (.composite(let elements), nil):
            for (name, element) in elements.sorted(by: { $0.key < $1.key }) {
                try gather(element, at: "\(path).\(name)", into: &values)
            }
        case (.attribute(let value), .attribute(let slot)): values[slot] = value
        default:
            throw StoreError(
                .invalidRequest, "'\(layout.name).\(path)' cannot hold a value of that kind")
        }
    }
}
