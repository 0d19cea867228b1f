/// Writes objects as `NSKeyedArchiver` does: every object once, referred to by its number.
package final class ArchiveWriter {
    private var objects: [BinaryPlist] = [.text("$null")]
    private var classes: [String: Int] = [:]
    private var texts: [String: Int] = [:]

    package init() {}

    /// The archive with that root.
    package func archive(root: Int) -> [UInt8] {
        BinaryPlist.dictionary([
            ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
            ("$top", .dictionary([("root", .uid(root))])), ("$objects", .array(objects)),
        ]).bytes
    }

    /// Takes an object in as it stands.
    package func add(_ value: BinaryPlist) -> Int {
        objects.append(value)
        return objects.count - 1
    }

    /// A number that an object will have.
    package func reserve() -> Int { add(.boolean(false)) }

    package func fill(_ number: Int, _ kind: String, _ entries: [(String, BinaryPlist)]) {
        objects[number] = .dictionary(entries + [("$class", .uid(self.kind(kind)))])
    }

    package func object(_ kind: String, _ entries: [(String, BinaryPlist)]) -> Int {
        let number = reserve()
        fill(number, kind, entries)
        return number
    }

    package func text(_ text: String) -> Int {
        if let known = texts[text] { return known }
        let number = add(.text(text))
        texts[text] = number
        return number
    }

    package func mutableText(_ text: String) -> Int {
        object("NSMutableString", [("NS.string", .text(text))])
    }

    package func dictionary(_ entries: [(Int, Int)], kind: String = "NSMutableDictionary") -> Int {
        object(
            kind,
            [
                ("NS.keys", .array(entries.map { .uid($0.0) })),
                ("NS.objects", .array(entries.map { .uid($0.1) })),
            ])
    }

    package func list(_ items: [Int], kind: String = "NSArray") -> Int {
        object(kind, [("NS.objects", .array(items.map { .uid($0) }))])
    }

    private func kind(_ name: String) -> Int {
        if let known = classes[name] { return known }
        let number = add(
            .dictionary([
                ("$classname", .text(name)),
                ("$classes", .array([.text(name), .text("NSObject")])),
            ]))
        classes[name] = number
        return number
    }
}
