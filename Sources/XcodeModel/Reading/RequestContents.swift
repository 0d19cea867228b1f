import GraphModel

/// A reader of `fetchRequest` and `fetchedProperty` elements.
enum RequestContents {
    /// Reads a request; returns `nil` and reports the problem if it has no name or entity.
    static func template(
        _ element: XMLElement, _ owner: String?, _ problems: ContentsProblems
    ) -> FetchRequestTemplate? {
        var source = ElementAttributes(element, owner ?? "", problems)
        guard let name = source.name("A fetch request") else { return nil }
        source.keyPath = owner ?? name
        guard let entity = source.filled("entity") else {
            problems.fail(
                "missing-entity", "The fetch request '\(name)' names no entity", source.place(nil))
            return nil
        }
        var template = FetchRequestTemplate(name: name, entityName: entity)
        template.predicate = source.filled("predicateString")
        template.fetchLimit = source.count("fetchLimit")
        source.warnAboutChildren(except: [])
        template.extras = source.extras
        return template
    }

    /// Reads a property; returns `nil` and reports the problem if it has no name or request.
    static func property(
        _ element: XMLElement, _ owner: String, _ problems: ContentsProblems
    ) -> FetchedPropertyDescription? {
        var source = ElementAttributes(element, owner, problems)
        guard let name = source.name("A fetched property of '\(owner)'") else { return nil }
        source.keyPath = "\(owner).\(name)"
        guard let child = element.children(named: "fetchRequest").first else {
            problems.warn(
                "fetched", "'\(owner).\(name)' has no fetch request; it is left out",
                source.place(nil))
            return nil
        }
        guard let request = template(child, "\(owner).\(name)", problems) else { return nil }
        var property = FetchedPropertyDescription(
            name: name, request: request, isOptional: source.flag("optional"),
            renamingIdentifier: source.filled("elementID"), userInfo: source.userInfo())
        source.warnAboutChildren(except: ["fetchRequest", "userInfo"])
        property.extras = source.extras
        return property
    }
}
