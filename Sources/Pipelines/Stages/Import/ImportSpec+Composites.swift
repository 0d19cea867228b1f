import Diagnostics
import GraphModel

extension ImportSpec {
    /// Returns the spec with complete composites in `set` replaced by their elements.
    ///
    /// `magnitude: mag` becomes `magnitude.richter: mag.richter` and so on, and null becomes a null
    /// for each element. Elements that `set` names separately keep their own mapping. A value that
    /// cannot fill a composite is left out; the checker reports it.
    func withElements(in model: ManagedObjectModel) -> ImportSpec {
        var spec = self
        let named = Set(set.map(\.attribute.text))
        spec.set = set.flatMap { mapping in
            let name = mapping.attribute.text
            guard let elements = model.elements(of: name, in: into.text) else { return [mapping] }
            return elements.filter { element in
                // A nested composite may also have its own mapping.
                !element.isTransient
                    && !named.contains {
                        $0.isElement(of: name)
                            && (element.name == $0 || element.name.isElement(of: $0))
                    }
            }.compactMap { element in
                mapping.origin(ofElement: element.name, of: name).map {
                    AttributeMapping(
                        attribute: PlacedText(element.name, mapping.attribute.location), origin: $0)
                }
            }
        }
        return spec
    }
}

extension AttributeMapping {
    /// Returns the source of an element if the mapping fills the complete composite, or `nil` if it
    /// cannot.
    fileprivate func origin(ofElement element: String, of whole: String) -> Origin? {
        switch origin {
        case .constant(.null, _), .unreadable: return origin
        case .field(let field) where field == FieldMapping(source: field.source):
            let rest = element.dropFirst(whole.count)
            return .element(
                PlacedText("\(field.source.text)\(rest)", field.source.location),
                whole: field.source)
        default: return nil
        }
    }

    /// Whether the mapping can fill a complete composite.
    var fillsComposites: Bool { origin(ofElement: "", of: "") != nil }
}

extension SpecificationChecker {
    /// Reports a mapping that cannot fill a complete composite.
    mutating func checkWhole(
        _ mapping: AttributeMapping, _ elements: [AttributeDescription], of spec: ImportSpec,
        _ entity: EntityDescription
    ) {
        let name = mapping.attribute.text
        guard !mapping.fillsComposites else {
            guard case .constant(.null, let place) = mapping.origin else { return }
            return checkNull(of: name, with: spec.set.map(\.attribute.text), entity, at: place)
        }
        error(
            "rule",
            "'\(name)' is a composite, which only a path to an object, or null, fills as a whole",
            mapping.attribute.location,
            fix: "set its elements, such as '\(elements[0].name)'")
    }

    /// Reports null for a complete composite if one of its elements must have a value.
    ///
    /// - Parameter names: The other attributes that are set, which may include the element.
    mutating func checkNull(
        of composite: String, with names: [String], _ entity: EntityDescription,
        at place: SourceLocation
    ) {
        let required = model.requiredComposites(of: entity.name).first {
            $0.dependent == nil && ($0.path == composite || $0.path.isElement(of: composite))
        }
        guard let path = required?.path, !names.contains(where: { $0.isElement(of: path) })
        else { return }
        error("constant", "'\(path)' is not optional, so it cannot be null", place)
    }
}
