/// A writer of objects in the format of `NSKeyedArchiver`: each object once, referenced by number.
///
/// Number 0 is `nil`.
package final class ArchiveWriter {
    private var objects: [BinaryPlist] = [.text("$null")]
    private var classes: [String: Int] = [:]
    private var texts: [String: Int] = [:]

    /// Creates a writer that contains only the object 0, `nil`.
    package init() {}

    /// Returns the bytes of the archive whose root is the object with this number.
    package func archive(root: Int) -> [UInt8] {
        BinaryPlist.dictionary([
            ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
            ("$top", .dictionary([("root", .uid(root))])), ("$objects", .array(objects)),
        ]).bytes
    }

    /// Adds a value and returns its number.
    package func add(_ value: BinaryPlist) -> Int {
        objects.append(value)
        return objects.count - 1
    }

    /// Reserves the number of an object that `fill` defines later, so that cycles can be written.
    package func reserve() -> Int { add(.boolean(false)) }

    /// Defines a reserved object.
    package func fill(_ number: Int, _ kind: String, _ entries: [(String, BinaryPlist)]) {
        objects[number] = .dictionary(entries + [("$class", .uid(self.kind(kind)))])
    }

    /// Adds an object of a class.
    package func object(_ kind: String, _ entries: [(String, BinaryPlist)]) -> Int {
        let number = reserve()
        fill(number, kind, entries)
        return number
    }

    /// Adds a string, or returns the number of an equal one.
    package func text(_ text: String) -> Int {
        if let known = texts[text] { return known }
        let number = add(.text(text))
        texts[text] = number
        return number
    }

    /// Adds a dictionary from pairs of object numbers.
    package func dictionary(_ entries: [(Int, Int)], kind: String = "NSMutableDictionary") -> Int {
        object(
            kind,
            [
                ("NS.keys", .array(entries.map { .uid($0.0) })),
                ("NS.objects", .array(entries.map { .uid($0.1) })),
            ])
    }

    /// Adds an array or a set from object numbers.
    package func list(_ items: [Int], kind: String = "NSArray") -> Int {
        object(kind, [("NS.objects", .array(items.map { .uid($0) }))])
    }

    private func kind(_ name: String) -> Int {
        if let known = classes[name] { return known }
        let names = [name] + (ArchivedClasses.ancestors[name] ?? []) + ["NSObject"]
        let number = add(
            .dictionary([
                ("$classname", .text(name)), ("$classes", .array(names.map { .text($0) })),
            ]))
        classes[name] = number
        return number
    }
}

/// The superclasses that archives list in `$classes`, between a class and `NSObject`.
private enum ArchivedClasses {
    static let ancestors: [String: [String]] = [
        "NSMutableArray": ["NSArray"],
        "NSMutableDictionary": ["NSDictionary"],
        "NSMutableSet": ["NSSet"],
        "NSMutableString": ["NSString"],
        "NSKnownKeysDictionary1": [
            "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary",
        ],
        "NSKnownKeysMappingStrategy1": ["NSKnownKeysMappingStrategy"],
        "NSAttributeDescription": ["NSPropertyDescription"],
        "NSDerivedAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
        "NSRelationshipDescription": ["NSPropertyDescription"],
        "NSFetchedPropertyDescription": ["NSPropertyDescription"],
        "NSExpressionDescription": ["NSPropertyDescription"],
        "NSFetchRequest": ["NSPersistentStoreRequest"],
        "NSComparisonPredicate": ["NSPredicate"],
        "NSCompoundPredicate": ["NSPredicate"],
        "NSTruePredicate": ["NSPredicate"],
        "NSFalsePredicate": ["NSPredicate"],
        "NSComparisonPredicateOperator": ["NSPredicateOperator"],
        "NSEqualityPredicateOperator": ["NSPredicateOperator"],
        "NSInPredicateOperator": ["NSPredicateOperator"],
        "NSBetweenPredicateOperator": ["NSPredicateOperator"],
        "NSSubstringPredicateOperator": ["NSStringPredicateOperator", "NSPredicateOperator"],
        "NSMatchingPredicateOperator": ["NSStringPredicateOperator", "NSPredicateOperator"],
        "NSLikePredicateOperator": [
            "NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator",
        ],
        "NSAggregateExpression": ["NSExpression"],
        "NSConstantValueExpression": ["NSExpression"],
        "NSFunctionExpression": ["NSExpression"],
        "NSKeyPathExpression": ["NSFunctionExpression", "NSExpression"],
        "NSKeyPathSpecifierExpression": ["NSExpression"],
        "NSSelfExpression": ["NSExpression"],
        "NSVariableExpression": ["NSExpression"],
        "NSDecimalNumber": ["NSNumber", "NSValue"],
    ]
}
