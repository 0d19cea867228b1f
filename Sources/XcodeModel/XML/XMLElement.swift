/// An element of a document, with its location.
struct XMLElement {
    /// An attribute, with the location of its name.
    struct Attribute {
        var name: String
        var value: String
        var line: Int
        var column: Int
    }

    var name: String
    var attributes: [Attribute] = []
    var children: [XMLElement] = []
    /// The character data directly inside the element, as one string.
    var text = ""
    /// The line and the column of the element's `<`, counted from 1 in Unicode scalars.
    var line = 1
    var column = 1

    init(_ name: String, _ attributes: [(String, String?)] = [], _ children: [XMLElement] = []) {
        self.name = name
        self.attributes = attributes.compactMap { name, value in
            value.map { Attribute(name: name, value: $0, line: 0, column: 0) }
        }
        self.children = children
    }

    /// The value of an attribute; `nil` if it is missing.
    subscript(_ name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    func children(named name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }
}

/// The reason why a text cannot be read as a document.
struct XMLProblem: Error {
    var message: String
    var line: Int
    var column: Int
}
