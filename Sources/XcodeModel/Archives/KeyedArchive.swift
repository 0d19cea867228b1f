/// An archive of `NSKeyedArchiver`: a property list whose `$objects` refer to one another by
/// number.
///
/// Nodes are read on request, so cycles affect only callers that follow them.
package struct KeyedArchive: Sendable {
    let list: BinaryPropertyList
    /// The number of each archived object in the property list.
    private let objects: [Int]
    /// The dictionary of archived roots; `nil` if the property list is not an archive.
    private let top: Int?

    /// Creates an archive from a file's bytes; throws if they are not a keyed archive.
    package init(_ bytes: [UInt8]) throws(ArchiveFault) {
        list = try BinaryPropertyList(bytes)
        guard let objects = Self.value("$objects", of: list.top, in: list),
            case .list(let first, let count) = list.nodes[objects],
            let top = Self.value("$top", of: list.top, in: list)
        else { throw ArchiveFault("the property list is not a keyed archive") }
        self.objects = list.items(first: first, count: count)
        self.top = top
    }

    /// Reads a property list that is not an archive; its top object is the root.
    init(plain bytes: [UInt8]) throws(ArchiveFault) {
        list = try BinaryPropertyList(bytes)
        objects = []
        top = nil
    }

    /// The archived root object.
    package var root: ArchivedNode? {
        guard let top else { return ArchivedNode(archive: self, number: list.top) }
        return ArchivedNode(archive: self, number: top)["root"]
    }

    /// Returns the value of a key in a dictionary of the property list.
    fileprivate static func value(
        _ key: String, of number: Int, in list: BinaryPropertyList
    ) -> Int? {
        guard case .dictionary(let first, let count) = list.nodes[number] else { return nil }
        return list.entries(first: first, count: count).first {
            guard case .ascii(let range) = list.nodes[$0.key] else { return false }
            return list.bytes[range].elementsEqual(key.utf8)
        }?.value
    }

    /// Returns the object for a number of the property list, after following a reference; `nil` for
    /// `$null`.
    fileprivate func resolved(_ number: Int) -> Int? {
        guard case .uid(let place) = list.nodes[number] else {
            return list.nodes[number] == .null ? nil : number
        }
        guard place > 0, place < objects.count else { return nil }
        let object = objects[place]
        // An archiver never writes a reference to a reference.
        if case .uid = list.nodes[object] { return nil }
        return object
    }
}

/// An object of a keyed archive.
package struct ArchivedNode: Sendable {
    fileprivate let archive: KeyedArchive
    /// The number that identifies the object in the property list.
    package let number: Int

    private var list: BinaryPropertyList { archive.list }
    /// The object in the property list.
    var value: BinaryPropertyList.Node { list.nodes[number] }

    private func other(_ number: Int) -> ArchivedNode? {
        archive.resolved(number).map { ArchivedNode(archive: archive, number: $0) }
    }

    /// The name of the object's class; `nil` if it is not an object with a class.
    ///
    /// The name is read as a plain string. Reading it as an object could recurse forever, because
    /// the class of that object could be the same one.
    package var className: String? {
        self["$class"]?["$classname"].flatMap { list.text($0.number) }
    }

    /// The value of a key; `nil` if the key is missing or its value is `$null`.
    package subscript(key: String) -> ArchivedNode? {
        KeyedArchive.value(key, of: number, in: list).flatMap(other)
    }

    // MARK: Values

    /// The string of an immutable or mutable string object.
    package var text: String? {
        if let text = list.text(number) { return text }
        if let text = self["NS.string"] { return list.text(text.number) }
        guard className?.hasSuffix("String") == true, let bytes = self["NS.bytes"]?.data else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value as an integer; a Boolean is 0 or 1.
    package var integer: Int64? {
        switch value {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The value as a number of any type.
    package var real: Double? {
        switch value {
        case .integer(let value): Double(value)
        case .boolean(let value): value ? 1 : 0
        case .real(let value): value
        default: nil
        }
    }

    /// Returns whether a key exists and its value is not false.
    package func isTrue(_ key: String) -> Bool { (self[key]?.integer ?? 0) != 0 }

    /// The bytes of a data object.
    package var data: [UInt8]? {
        if case .data(let range) = value { return Array(list.bytes[range]) }
        guard let inner = self["NS.data"], case .data(let range) = list.nodes[inner.number] else {
            return nil
        }
        return Array(list.bytes[range])
    }

    /// The date, in seconds since 2001.
    package var date: Double? {
        if case .date(let seconds) = value { return seconds }
        return className?.hasSuffix("Date") == true ? self["NS.time"]?.real : nil
    }

    // MARK: Collections

    /// The items of an array or a set, without `nil` items; `nil` if the node is neither.
    package var items: [ArchivedNode]? {
        if case .list(let first, let count) = value {
            return list.items(first: first, count: count).compactMap(other)
        }
        guard let kind = className, kind.hasSuffix("Array") || kind.hasSuffix("Set") else {
            return nil
        }
        return list(under: "NS.objects") ?? numbered("NS.object.")
    }

    /// The entries of a dictionary of any class; `nil` if the node is not a dictionary.
    ///
    /// Entries whose key or value is `nil` are omitted.
    package var entries: [(key: ArchivedNode, value: ArchivedNode)]? {
        guard let pairs = entryReferences else { return nil }
        return pairs.compactMap { key, value in
            guard let key = other(key), let value = other(value) else { return nil }
            return (key, value)
        }
    }

    /// The references in any of the three dictionary layouts of archives.
    ///
    /// - A dictionary of the property list.
    /// - `NS.keys` and `NS.objects`.
    /// - Keys in a mapping that several dictionaries can share (`NSKnownKeysDictionary1`, in which
    ///   Core Data archives the entities of a model).
    private var entryReferences: [(key: Int, value: Int)]? {
        guard let kind = className else {
            guard case .dictionary(let first, let count) = value else { return nil }
            return list.entries(first: first, count: count)
        }
        if let keys = references(under: "NS.keys"), let values = references(under: "NS.objects") {
            return Array(zip(keys, values))
        }
        if let keys = self["searchMapping"]?["keys"]?.references(under: "NS.objects"),
            let values = self["values"]?.references(under: "NS.objects")
        {
            let empty = self["emptyToken"]?.number
            return zip(keys, values).filter { other($0.1)?.number != empty }
        }
        return kind.contains("Dictionary") ? [] : nil
    }

    private func list(under key: String) -> [ArchivedNode]? {
        references(under: key)?.compactMap(other)
    }

    private func references(under key: String) -> [Int]? {
        guard let number = KeyedArchive.value(key, of: number, in: list),
            case .list(let first, let count) = list.nodes[number]
        else { return nil }
        return list.items(first: first, count: count)
    }

    /// Returns the items of an array that stores each item under a key with a number.
    ///
    /// Old archivers wrote `NS.object.0`, `NS.object.1`, and so on.
    private func numbered(_ prefix: String) -> [ArchivedNode] {
        var found: [ArchivedNode] = []
        while let next = self["\(prefix)\(found.count)"] { found.append(next) }
        return found
    }
}
