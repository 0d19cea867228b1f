import Diagnostics

/// The problems found in one model file while it is read.
///
/// It is a class because all readers of the file's parts report to the same list.
final class ContentsProblems {
    /// The file, as the user named it.
    let file: String
    /// The problems found so far.
    private(set) var diagnostics: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    func place(_ element: XMLElement, _ keyPath: String) -> SourceLocation {
        SourceLocation(
            file: file, line: element.line, column: element.column, keyPath: keyPath)
    }

    /// Returns the location of an attribute, or of the element if the attribute is missing.
    func place(_ element: XMLElement, attribute name: String, _ keyPath: String) -> SourceLocation {
        guard let attribute = element.attributes.first(where: { $0.name == name }) else {
            return place(element, keyPath)
        }
        return SourceLocation(
            file: file, line: attribute.line, column: attribute.column, keyPath: keyPath)
    }

    func fail(_ code: String, _ message: String, _ place: SourceLocation, fix: String? = nil) {
        report(Diagnostic(code: "model.\(code)", message, at: .source(place), fix: fix))
    }

    func warn(_ code: String, _ message: String, _ place: SourceLocation, fix: String? = nil) {
        report(Diagnostic(.warning, code: "model.\(code)", message, at: .source(place), fix: fix))
    }

    /// Reports an element of an unknown kind, which is not kept.
    func warnOfUnknown(_ element: XMLElement, in keyPath: String) {
        warn(
            "unknown-element", "<\(element.name)> is not known here and is left out",
            place(element, keyPath))
    }

    func report(_ diagnostic: Diagnostic) {
        diagnostics.append(diagnostic)
    }
}

/// A reader of an element's attributes that keeps the unread ones, so that no content is lost.
struct ElementAttributes {
    let element: XMLElement
    /// The name of the element in messages; its owner until its own name is read.
    var keyPath: String
    let problems: ContentsProblems
    private var taken: Set<String> = []
    private var kept: [String: String] = [:]

    init(_ element: XMLElement, _ keyPath: String, _ problems: ContentsProblems) {
        self.element = element
        self.keyPath = keyPath
        self.problems = problems
    }

    /// Returns the value, even if it is empty.
    mutating func text(_ name: String) -> String? {
        taken.insert(name)
        return element[name]
    }

    /// Returns the value; `nil` if it is empty.
    mutating func filled(_ name: String) -> String? {
        text(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a Boolean, such as `YES`; `false` if the attribute is missing.
    mutating func flag(_ name: String) -> Bool {
        guard let text = text(name) else { return false }
        if let flag = ContentsText.boolean(text) { return flag }
        problems.warn(
            "type", "'\(name)' must be YES or NO, not '\(text)'; it counts as NO", place(name))
        return false
    }

    /// Returns an integer that is not negative.
    ///
    /// - Parameter orNoLimit: whether -1 is also valid.
    mutating func count(_ name: String, orNoLimit: Bool = false) -> Int? {
        guard let text = filled(name) else { return nil }
        let smallest = orNoLimit ? -1 : 0
        if let number = Int(text), (smallest...Int(Int32.max)).contains(number) { return number }
        problems.warn(
            "type", "'\(name)' must be a whole number from 0, not '\(text)'; it is left out",
            place(name))
        keep(name)
        return nil
    }

    /// Returns the required name of an element, and reports a missing one.
    mutating func name(_ what: String) -> String? {
        if let name = filled("name") { return name }
        problems.fail("missing-name", "\(what) has no name", place(nil))
        return nil
    }

    /// Keeps an attribute unchanged, although it was read.
    ///
    /// - Parameter text: The text to keep; `nil` for the text in the file.
    mutating func keep(_ name: String, as text: String? = nil) {
        if let text = text ?? element[name] { kept[name] = text }
    }

    /// Records that the element lacks an attribute that the writer adds to every element of its
    /// kind.
    ///
    /// An empty string represents this, because no real value is empty.
    mutating func keepAbsence(of name: String) {
        if element[name] == nil { kept[name] = "" }
    }

    /// The attributes to write back unchanged: kept attributes, and attributes that were not read.
    var extras: [String: String] {
        var extras = kept
        for attribute in element.attributes where !taken.contains(attribute.name) {
            extras[attribute.name] = attribute.value
        }
        return extras
    }

    func place(_ attribute: String?) -> SourceLocation {
        attribute.map { problems.place(element, attribute: $0, keyPath) }
            ?? problems.place(element, keyPath)
    }

    /// Returns the entries of a `userInfo` child.
    func userInfo() -> [String: String] {
        var info: [String: String] = [:]
        for entry in element.children(named: "userInfo").flatMap(\.children) {
            guard let key = entry["key"] else { continue }
            if info.updateValue(entry["value"] ?? "", forKey: key) != nil {
                problems.warn(
                    "duplicate-name", "userInfo has the key '\(key)' twice; the last one counts",
                    problems.place(entry, keyPath))
            }
        }
        return info
    }

    /// Reports children of unknown kinds, which are not kept.
    func warnAboutChildren(except known: Set<String>) {
        for child in element.children where !known.contains(child.name) {
            problems.warnOfUnknown(child, in: keyPath)
        }
    }
}
