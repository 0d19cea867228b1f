/// An element of a document, with its place.
struct XMLElement {
    /// One attribute; its place is that of its name.
    struct Attribute {
        var name: String
        var value: String
        var line: Int
        var column: Int
    }

    var name: String
    var attributes: [Attribute] = []
    var children: [XMLElement] = []
    /// The character data directly inside, in one piece.
    var text = ""
    /// Where its `<` stands, from one, in Unicode scalars.
    var line = 1
    var column = 1

    init(_ name: String, _ attributes: [(String, String?)] = [], _ children: [XMLElement] = []) {
        self.name = name
        self.attributes = attributes.compactMap { name, value in
            value.map { Attribute(name: name, value: $0, line: 0, column: 0) }
        }
        self.children = children
    }

    /// The attribute's value, or nil where it is missing.
    subscript(_ name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    func children(named name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }
}

/// Why a text is no document that can be read.
struct XMLProblem: Error {
    var message: String
    var line: Int
    var column: Int
}
