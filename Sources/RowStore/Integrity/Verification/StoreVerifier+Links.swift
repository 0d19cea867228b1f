import Files
import GraphModel
import SQLite

/// Checks of references from one object to another, or to a file.
extension StoreVerifier {
    /// Checks the entity's own to-one relationships.
    mutating func checkLinks(
        of entity: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) {
        let own = schema.model.ownRelationshipNames(of: entity.name)
        for (name, place) in entity.toOnes.sorted(by: { $0.key < $1.key })
        where own.contains(name) && isThere(place, in: entity) {
            guard
                let destination = schema.entity(
                    named: place.relationship.destinationEntityName), has(destination.table)
            else { continue }
            let link = ToOneLink(entity, name, place, destination)
            if !place.relationship.isOptional {
                try find(
                    .required, entity.name, name,
                    SelectSQL("t.Z_PK", of: entity, alias: "t", where: ["\(link.key) IS NULL"])
                ) {
                    "\(entity.name).\(name): \($0.counting("object lacks", "objects lack")) an object,"
                        + " which is required"
                }
            }
            // Columns in the destination's table are checked with the destination.
            guard let columns = place.columns else { continue }
            try find(.dangling, entity.name, name, link.dangling) {
                "\(entity.name).\(name): \($0.counting("link leads", "links lead")) nowhere"
            }
            if let column = columns.entityColumn, has(column, in: entity.table) {
                try find(.dangling, entity.name, name, link.wrongEntity(column)) {
                    "\(entity.name).\(name): \($0.counting("link names", "links name")) another entity"
                        + " than the object that it leads to is of"
                }
            }
            try checkInverse(of: link)
            try checkOrder(of: link)
        }
    }

    /// Returns whether the column of the link exists.
    private func isThere(_ place: StoreLayout.ToOnePlace, in entity: StoreLayout.Entity) -> Bool {
        switch place {
        case .own(let columns): has(columns.column, in: entity.table)
        case .inverse(let inverse): has(inverse.column, in: inverse.table)
        }
    }

    /// Checks that both ends of a one-to-one relationship refer to each other.
    ///
    /// If only one end has a column, this checks that no two objects refer to the same one.
    private mutating func checkInverse(of link: ToOneLink) throws(StoreError) {
        guard let back = link.back, isThere(back, in: link.destination) else { return }
        try find(.inverse, link.entity.name, link.name, link.oneSided(back)) {
            "\(link.entity.name).\(link.name): "
                + "\($0.counting("object that it leads to does", "objects that it leads to do")) not lead"
                + " back"
        }
    }

    private mutating func checkOrder(of link: ToOneLink) throws(StoreError) {
        guard let columns = link.place.columns, let order = columns.orderColumn,
            has(order, in: link.entity.table)
        else { return }
        let column = columns.column
        try find(.order, link.entity.name, link.name, link.unordered(column, order)) {
            "\(link.entity.name).\(link.name): \($0.counting("object has", "objects have")) no"
                + " position in the order"
        }
        try find(.order, link.entity.name, link.name, link.sharing(column, order)) {
            "\(link.entity.name).\(link.name): \($0.counting("place", "places")) in the order"
                + " \($0 == 1 ? "has" : "have") several objects"
        }
    }

    /// Checks the join rows of a many-to-many relationship at both ends.
    mutating func checkJoinRows(
        of join: StoreLayout.JoinTable, _ schema: StoreLayout
    ) throws(StoreError) {
        for end in schema.ends(of: join) where has(end.destination.table) {
            for column in end.columns {
                try find(
                    .pair, end.entity.name, end.name,
                    SelectSQL(
                        "j.\(end.side.ownerColumn)", from: "\(join.name) j",
                        where: [end.lacksObject(column, in: "j")])
                ) {
                    "\(end.entity.name).\(end.name): \($0.counting("link leads", "links lead"))"
                        + " nowhere"
                }
            }
        }
    }

    // MARK: Files

    private typealias NamedFile = (file: String, key: Int64)

    /// Checks for missing and unreadable files of large values, and for files that no value uses.
    mutating func checkExternalValues(_ schema: StoreLayout) throws(StoreError) {
        let folder = StoreFiles.supportFolder(of: path) + "/_EXTERNAL_DATA"
        var known: Set<String> = []
        var isWhole = true
        for entity in schema.heldEntities {
            for (name, place) in entity.attributes.sorted(by: { $0.key < $1.key })
            where place.attribute.allowsExternalBinaryDataStorage
                && place.declaringEntity == entity.name && has(place.column, in: entity.table)
            {
                var (missing, unreadable): ([NamedFile], [NamedFile]) = ([], [])
                let before = findings.count
                let connection = connection
                try guarding("\(entity.name).\(name)", of: entity.name) { _ throws(StoreError) in
                    let rows = try ExternalFiles.namings(in: place.column, of: entity.table)
                        .prepare(on: connection)
                    while try rows.step() {
                        let file = rows.string(1)
                        known.insert(file)
                        let path = "\(folder)/\(file)"
                        if !FileSystem.exists(path) {
                            missing.append((file, rows.integer(0)))
                        } else if FileSystem.isFolder(path) || !FileSystem.allows(path, .read) {
                            unreadable.append((file, rows.integer(0)))
                        }
                    }
                }
                isWhole = isWhole && findings.count == before
                for (files, fault) in [(missing, "missing"), (unreadable, "unreadable")] {
                    guard let first = files.first else { continue }
                    let what =
                        files.count == 1
                        ? "the file \(first.file) is \(fault)"
                        : "\(files.count) files are \(fault), such as \(first.file)"
                    note(
                        .externalMissing, entity: entity.name, property: name,
                        count: files.count, keys: files.map(\.key),
                        "\(entity.name).\(name): \(what)")
                }
            }
        }
        // If values cannot be read, their files are unknown.
        let orphans = try StoreFiles.names(in: folder).filter { !known.contains($0) }.sorted()
        guard isWhole, let first = orphans.first else { return }
        note(
            .externalOrphan, count: orphans.count,
            "\(orphans.count.counting("file", "files")) in \(folder) "
                + "\(orphans.count == 1 ? "belongs" : "belong") to no object, such as \(first)")
    }
}
