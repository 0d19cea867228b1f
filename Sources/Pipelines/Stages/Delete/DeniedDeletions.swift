import Diagnostics
import GraphModel
import GraphStore

extension StageReport {
    /// Stores in the report how many objects Deny rules kept, and which relationships did.
    mutating func noteDenied(_ result: BatchDeleteResult) {
        denied = result.denied
        guard !result.denials.isEmpty else { return }
        deniedBy = Dictionary(
            result.denials.map { ("\($0.entityName).\($0.relationshipName)", $0.count) },
            uniquingKeysWith: +)
    }
}

extension StageEnvironment {
    /// Warns about objects that Deny rules kept, because an unattended run shows them nowhere else.
    func warn(of result: BatchDeleteResult, _ entity: String, in stage: Stage) {
        for denial in result.denials {
            warn(Diagnostic(denial, of: result.matched, entity, container.model, stage))
        }
    }
}

extension Diagnostic {
    /// Creates the warning about the objects that a Deny rule kept, with its fix.
    fileprivate init(
        _ denial: BatchDeleteResult.Denial, of matched: Int, _ entity: String,
        _ model: ManagedObjectModel, _ stage: Stage
    ) {
        let (owner, name) = (denial.entityName, denial.relationshipName)
        let relationship = model.relationship(name, of: owner)
        let destination = relationship?.destinationEntityName ?? ""
        func isKind(_ entity: String, of other: String) -> Bool {
            model.lineage(of: entity).contains { $0.name == other }
        }
        let hasRelationship = isKind(entity, of: owner)
        var message =
            "\(denial.count.grouped) of \(ReportNumbers.several(matched, "object")) of "
            + "\(entity) that \(matched == 1 ? "matches" : "match") "
            + "\(denial.count == 1 ? "was" : "were") kept: "
        if !hasRelationship, !isKind(owner, of: entity) {
            message += "their deletion would also delete objects of \(owner), and "
        }
        message +=
            "`delete: deny` of '\(owner).\(name)' keeps objects that are linked to objects"
            + " of \(destination)"
        var fix = "delete the objects of \(destination) in an earlier stage"
        if hasRelationship {
            let isEmpty =
                relationship?.isToMany == true ? "\(name).@count == 0" : "\(name) == nil"
            fix += ", or exclude these objects in `where` with `AND \(isEmpty)`"
        }
        self.init(
            .warning, code: "store.deletion-denied", message, stage: stage.reportLocation,
            fix: fix)
    }
}
