import AppStoreFixtures
import Foundation
import GraphModel
import GraphStore
import SQLite
import Testing

/// Imports and deletions in copies of apps' stores, by keys that no constraint covers.
@Suite(
    "Changes of specimens",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct SpecimenChangeTests {
    @Test(
        "1,000 inserts, 100 updates, and 100 deletes per entity keep the rules of the format",
        arguments: CoreDataSpecimens.stores)
    func changes(_ store: CoreDataSpecimens.Store) throws {
        let folder = try TemporaryFolder()
        let outside = try TemporaryFolder()
        let copy = try store.copy(to: folder.path)
        var options = StoreOptions()
        options.isReadOnly = true
        let model = try PersistentContainer(
            model: nil, .sqlite(at: copy, options: options)
        ).model
        let before = try StoreRules(copy, model)
        #expect(before.violations == [], "as the app wrote it")
        let plan = try ChangePlan(model, before)
        #expect(!plan.subjects.isEmpty)

        func run(_ pass: ChangePlan.Pass) throws {
            for (name, text) in plan.files(of: pass, store: copy) {
                try text.write(
                    toFile: outside.path + "/" + name, atomically: true, encoding: .utf8)
            }
            let result = try Tool.etl(["run", "changes.yaml", "-q"], in: outside.path)
            #expect(result == .silentSuccess, "\(pass)")
        }
        try run(.insert)
        let inserted = try StoreRules(copy, model)
        expectRules(inserted, before, plan, deleted: [])
        for subject in plan.subjects {
            #expect(
                try subject.stored(in: inserted) == subject.expected(after: .insert),
                "\(subject.entity)")
        }
        try run(.change)
        let changed = try StoreRules(copy, model)
        expectRules(changed, before, plan, deleted: plan.cascaded)
        for subject in plan.subjects {
            #expect(
                try subject.stored(in: changed) == subject.expected(after: .change),
                "\(subject.entity)")
        }
        changed.expectHistory(since: before, author: "changes")
        // A second run has nothing to do.
        let digest = try storeDigest(folder.path)
        try run(.change)
        #expect(try storeDigest(folder.path) == digest)
        let verified = try Tool.etl(["verify", copy])
        #expect(verified.status == 0, "\(verified)")
    }

    private func expectRules(
        _ found: StoreRules, _ before: StoreRules, _ plan: ChangePlan,
        deleted: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(found.violations == [], sourceLocation: sourceLocation)
        #expect(found.frame == before.frame, sourceLocation: sourceLocation)
        for (entity, count) in before.allocated {
            #expect(found.allocated[entity] ?? 0 >= count, sourceLocation: sourceLocation)
        }
        // Rows that no record names keep their values.
        let touched = Set(plan.subjects.flatMap(\.touched))
        for (row, values) in before.values where !touched.contains(row) {
            guard let now = found.values[row] else { continue }
            #expect(now == values, "\(row)", sourceLocation: sourceLocation)
        }
        #expect(
            Set(before.values.keys).subtracting(found.values.keys) == deleted,
            sourceLocation: sourceLocation)
    }

    /// Returns the digest of the store, its WAL, and its external files, which a second run must
    /// not change.
    private func storeDigest(_ folder: String) throws -> [String] {
        try folderDigest(folder).filter { !$0.contains(".etl-lock ") && !$0.contains(".bak-v") }
    }
}
