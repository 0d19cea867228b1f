import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// The findings of `verify` in a damaged store of an app, and the result of `--repair`.
@Suite("Verifying apps' stores by command") struct VerifyAppStoreTests {
    private let work: AppStoreFolder
    private let repaired: String

    init() throws {
        work = try AppStoreFolder()
        try AppStoreFixture.make(at: work.store, work.model)
        repaired = work.outside.path + "/repaired.sqlite"
        // Changes the rows in which the fixture is invalid.
        try change(
            "UPDATE ZITEM SET ZSHELF = NULL, Z_OPT = 1 WHERE Z_PK = 9;"
                + " DELETE FROM Z_8ITEMS WHERE Z_2ITEMS = 55")
    }

    private func change(_ sql: String) throws {
        _ = try Tool.run("sqlite3", [work.store, sql])
    }

    private func verify(_ flags: String...) throws -> ToolResult {
        try Tool.etl(["verify", work.store] + flags, in: work.outside.path)
    }

    @Test("verify finds a missing UUID, and the repair creates one")
    func missingUUID() throws {
        try change("UPDATE Z_METADATA SET Z_UUID = NULL")
        let result = try verify()
        #expect(result.standardOutput == "Z_METADATA has no Z_UUID\n")
        #expect(result.status == 1)
        #expect(
            try verify("--repair", repaired).standardOutput
                == "lost: Z_METADATA has no Z_UUID, so the store gets a new one\n")
        #expect(try Tool.etl(["verify", repaired]).status == 0)
    }

    @Test(
        "the repair recreates a missing history table and continues its numbers",
        arguments: [
            ("ACHANGE", ["lost: The table ACHANGE is missing, and is created again"], 12, 103),
            (
                "ATRANSACTION",
                [
                    "lost: The table ATRANSACTION is missing, and is created again",
                    "lost: 3 changes of the history cannot be kept, since the transaction is missing",
                ], 12, 103
            ),
            (
                "Z_PRIMARYKEY", ["lost: The table Z_PRIMARYKEY is missing, and is created again"],
                12, 103
            ),
        ])
    func missingHistoryTable(
        _ table: String, _ losses: [String], _ change: Int, _ transaction: Int
    ) throws {
        try self.change("DROP TABLE \(table)")
        #expect(try verify().status == 1)
        let result = try verify("--repair", repaired)
        #expect(result.standardOutput == losses.map { $0 + "\n" }.joined())
        let again = try Tool.etl(["verify", repaired])
        #expect(again.standardOutput == "" && again.status == 0)
        let counters = try Tool.sqlite(
            repaired, "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1")
        #expect(counters == ["16001|\(change)", "16002|\(transaction)", "16003|2"])
    }

    @Test("verify finds wrong names and parents of entities, and the repair corrects them")
    func wrongEntity() throws {
        try change(
            "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Nonsense', Z_SUPER = 5 WHERE Z_NAME = 'Shelf';"
                + " UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Film'")
        let lines = [
            "Z_PRIMARYKEY gives the entity 'Film' the parent 0 instead of 2",
            "Z_PRIMARYKEY gives the entity 'Shelf' the name 'Nonsense' and the parent 5 instead of 0",
        ]
        let result = try verify()
        #expect(result.standardOutput == lines.map { $0 + "\n" }.joined())
        #expect(result.status == 1)
        #expect(
            try verify("--repair", repaired).standardOutput
                == lines.map { "lost: \($0), and is corrected\n" }.joined())
        #expect(try Tool.etl(["verify", repaired]) == .silentSuccess)
        #expect(
            try Tool.sqlite(
                repaired,
                "SELECT Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT IN (4, 7) ORDER BY Z_ENT")
                == ["Film|2", "Shelf|0"])
    }

    @Test("verify finds history of an entity that the store does not have")
    func historyOfUnknownEntity() throws {
        try change(
            "UPDATE ACHANGE SET ZENTITY = 77 WHERE Z_PK = 10")
        let result = try verify()
        #expect(
            result.standardOutput == """
                The history has 1 change of an entity that the store does not have, such as number 77

                """)
        #expect(result.status == 1)
    }

    @Test("verify remarks on a cached model whose hashes differ from the store's")
    func staleCache() throws {
        let text = AppStoreFixture.modelText.replacing(
            "label: { type: String, renamed-from: title }",
            with: "label: { type: String, optional: false }")
        let other = try #require(ModelFile.read(text: text).0)
        let cache = try AppStoreFixture.cachedModel(other).map { String(format: "%02x", $0) }
        try change("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(cache.joined())'")
        let result = try verify()
        #expect(
            result.standardOutput == """
                remark: The model in Z_MODELCACHE is stale; its hashes are not the store's in: Shelf

                """)
        #expect(result.status == 0)
    }

    @Test("the repair of a store without a cached model infers one from the columns")
    func repairByColumns() throws {
        try change("DROP TABLE Z_MODELCACHE")
        let result = try verify("--repair", repaired)
        #expect(result.standardOutput == "" && result.standardError == "")
        #expect(result.status == 0)
        let rows = "SELECT Z_PK, ZLABEL FROM ZSHELF ORDER BY 1"
        #expect(try Tool.sqlite(repaired, rows) == Tool.sqlite(work.store, rows))
    }
}
