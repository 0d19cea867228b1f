import Diagnostics

/// Collects what is wrong with one model file while it is read.
///
/// A class, because every reader of the file's parts reports to the same list.
final class ContentsProblems {
    /// The file, as the user named it.
    let file: String
    /// What was found so far.
    private(set) var diagnostics: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    func place(_ element: XMLElement, _ keyPath: String) -> SourceLocation {
        SourceLocation(
            file: file, line: element.line, column: element.column, keyPath: keyPath)
    }

    /// The place of an attribute, or of the element where it is missing.
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

    func report(_ diagnostic: Diagnostic) {
        diagnostics.append(diagnostic)
    }
}

/// An element whose attributes are taken one by one; what nobody takes is kept as it stands.
struct ElementAttributes {
    let element: XMLElement
    let keyPath: String
    let problems: ContentsProblems
    private var taken: Set<String> = []
    private var kept: [String: String] = [:]

    init(_ element: XMLElement, _ keyPath: String, _ problems: ContentsProblems) {
        self.element = element
        self.keyPath = keyPath
        self.problems = problems
    }

    /// The value, even where it is empty.
    mutating func text(_ name: String) -> String? {
        taken.insert(name)
        return element[name]
    }

    /// The value, unless it is empty.
    mutating func filled(_ name: String) -> String? {
        text(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// `YES` is true; what is missing is false.
    mutating func flag(_ name: String) -> Bool {
        guard let text = text(name) else { return false }
        if let flag = ContentsText.boolean(text) { return flag }
        problems.warn(
            "type", "'\(name)' must be YES or NO, not '\(text)'; it counts as NO", place(name))
        return false
    }

    /// A whole number from 0.
    ///
    /// - Parameter orNoLimit: -1 is a number, too.
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

    /// The name that an element must have; reports a missing one.
    mutating func name(_ what: String) -> String? {
        if let name = filled("name") { return name }
        problems.fail("missing-name", "\(what) has no name", place(nil))
        return nil
    }

    /// Keeps an attribute as it stands, although it was taken.
    mutating func keep(_ name: String, as text: String? = nil) {
        if let text = text ?? element[name] { kept[name] = text }
    }

    /// Notes that the element does not say what the writer adds to every such element.
    ///
    /// An empty text stands for it, which no element has in earnest.
    mutating func keepAbsence(of name: String) {
        if element[name] == nil { kept[name] = "" }
    }

    /// Everything that was kept or not taken.
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

    /// The entries of a `userInfo` child.
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

    /// Reports children of kinds that are not known here; they are not kept.
    func warnAboutChildren(except known: Set<String>) {
        for child in element.children where !known.contains(child.name) {
            problems.warn(
                "unknown-element", "<\(child.name)> is not known here and is left out",
                problems.place(child, keyPath))
        }
    }
}
