import Diagnostics
import GraphModel

/// A check for names in a model that would produce invalid or ambiguous Swift code.
struct ClassNameCheck {
    private(set) var problems: [Diagnostic] = []

    init(_ generator: ClassGenerator) {
        let place = Diagnostic.Place.file(generator.source)
        var owners: [String: String] = [generator.listName.lowercased(): "the list of classes"]
        for plan in generator.plans {
            let name = plan.className
            if SwiftName.reservedClasses.contains(name) {
                error("The class of '\(plan.entity.name)' cannot be called '\(name)'", place)
            }
            let owner = "'\(plan.entity.name)'"
            if let other = owners.updateValue(owner, forKey: name.lowercased()) {
                error("The classes of \(other) and \(owner) would share a file '\(name)'", place)
            }
            warnOfSwift(plan, generator, place)
            checkProperties(plan, place)
        }
    }

    /// Warns if a class has the name of a Swift type, which it hides in files that use the class.
    private mutating func warnOfSwift(
        _ plan: ClassPlan, _ generator: ClassGenerator, _ place: Diagnostic.Place
    ) {
        guard plan.entity.managedObjectClassName == nil,
            let module = SwiftName.modulesOfHiddenTypes[plan.className]
        else { return }
        let name = plan.className
        problems.append(
            Diagnostic(
                .warning, code: "swift.hidden-type",
                "The class '\(name)' hides Swift's own '\(name)' where both can be seen", at: place,
                fix: "name the class, as in `class: \(name)Item`. To keep the name, write "
                    + "`class: \(name)`, and `\(module).\(name)` for Swift's type"))
    }

    private mutating func checkProperties(_ plan: ClassPlan, _ place: Diagnostic.Place) {
        var owners: [String: String] = [:]
        var suffixes: [String: String] = [:]
        for property in plan.properties {
            if let other = owners.updateValue(property.name, forKey: property.identifier) {
                error(
                    "'\(other)' and '\(property.name)' of '\(plan.entity.name)' would both be "
                        + "'\(property.identifier)'", place)
            }
            guard case .toMany = property.kind else { continue }
            let suffix = SwiftName.capitalized(property.name)
            if let other = suffixes.updateValue(property.name, forKey: suffix) {
                error(
                    "'\(other)' and '\(property.name)' of '\(plan.entity.name)' would both have "
                        + "'addTo\(suffix)'", place)
            }
        }
    }

    private mutating func error(_ message: String, _ place: Diagnostic.Place) {
        problems.append(
            Diagnostic(
                code: "swift.name", message, at: place,
                fix: "give one of them another name, or its entity another `class`"))
    }
}
