import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Store layout") struct StoreLayoutTests {
    @Test func createsTheTablesOfThePublishedLayout() throws {
        try withStore(everythingModel) { store in
            let sql = try store.lines(
                "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type DESC, name")
            // swift-format-ignore
            #expect(
                sql.joined(separator: "\n") == """
                CREATE TABLE ETL_MODEL (FORMAT INTEGER, MODEL TEXT)
                CREATE TABLE ETL_PENDING (NAME TEXT PRIMARY KEY, SQL TEXT)
                CREATE TABLE ZCATEGORY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZREGION VARCHAR )
                CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1WATCHED INTEGER, ZISDONE INTEGER, ZLARGE INTEGER, ZMEDIUM INTEGER, ZSMALL INTEGER, ZABOUT INTEGER, Z2_ABOUT INTEGER, ZCATEGORY INTEGER, ZPARENT INTEGER, Z4_PARENT INTEGER, ZPLAN INTEGER, Z_FOK_PARENT INTEGER, ZDEPTH INTEGER, ZCREATEDAT TIMESTAMP, ZRATIO FLOAT, ZWEIGHT FLOAT, ZPRICE DECIMAL, ZCODE VARCHAR, ZTITLE VARCHAR, ZTITLE1 VARCHAR, ZLINK VARCHAR, ZID BLOB, ZADDRESS BLOB, ZPHOTO BLOB )
                CREATE TABLE ZPLAN ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTASK INTEGER, Z4_TASK INTEGER, ZNAME VARCHAR )
                CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1HISTORY INTEGER, Z_FOK_1HISTORY INTEGER, ZNAME VARCHAR )
                CREATE TABLE Z_4BLOCKERS ( Z_4BLOCKED INTEGER, Z_4BLOCKERS INTEGER, PRIMARY KEY (Z_4BLOCKED, Z_4BLOCKERS) )
                CREATE TABLE Z_4RELATED ( Z_4RELATED INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_4RELATED, REFLEXIVE) )
                CREATE TABLE Z_4TAGS ( Z_4TASKS INTEGER, Z_7TAGS INTEGER, Z_FOK_7TAGS INTEGER, PRIMARY KEY (Z_4TASKS, Z_7TAGS) )
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)
                CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)
                CREATE INDEX ZITEM_Z1WATCHED_INDEX ON ZITEM (Z1WATCHED)
                CREATE INDEX ZITEM_ZABOUT_INDEX ON ZITEM (ZABOUT)
                CREATE INDEX ZITEM_ZCATEGORY_INDEX ON ZITEM (ZCATEGORY)
                CREATE INDEX ZITEM_ZPARENT_INDEX ON ZITEM (ZPARENT)
                CREATE INDEX ZITEM_ZPLAN_INDEX ON ZITEM (ZPLAN)
                CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)
                CREATE INDEX ZPLAN_ZTASK_INDEX ON ZPLAN (ZTASK)
                CREATE INDEX ZTAG_Z1HISTORY_INDEX ON ZTAG (Z1HISTORY)
                CREATE INDEX Z_4BLOCKERS_Z_4BLOCKERS_INDEX ON Z_4BLOCKERS (Z_4BLOCKERS, Z_4BLOCKED)
                CREATE INDEX Z_4RELATED_REFLEXIVE_INDEX ON Z_4RELATED (REFLEXIVE, Z_4RELATED)
                CREATE INDEX Z_4TAGS_Z_7TAGS_INDEX ON Z_4TAGS (Z_7TAGS, Z_4TASKS)
                CREATE UNIQUE INDEX Z_Category_UNIQUE_name_region ON ZCATEGORY (ZNAME COLLATE BINARY ASC, ZREGION COLLATE BINARY ASC)
                CREATE INDEX Z_Item_byCreation ON ZITEM (ZCREATEDAT COLLATE BINARY DESC)
                CREATE INDEX Z_Item_createdAt ON ZITEM (ZCREATEDAT COLLATE BINARY DESC)
                CREATE UNIQUE INDEX Z_Milestone_UNIQUE_code ON ZITEM (ZCODE COLLATE BINARY ASC)
                CREATE UNIQUE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME COLLATE BINARY ASC)
                CREATE UNIQUE INDEX Z_task_UNIQUE_id ON ZITEM (ZID COLLATE BINARY ASC)
                CREATE INDEX Z_task_byCategory ON ZITEM (ZCATEGORY COLLATE BINARY ASC)
                CREATE INDEX Z_task_byState ON ZITEM (ZISDONE COLLATE BINARY ASC, ZTITLE1 COLLATE BINARY DESC)
                """)
        }
    }

    @Test func numbersEntitiesDepthFirstByCaseInsensitiveName() throws {
        try withStore(everythingModel) { store in
            try store.expect(
                "SELECT * FROM Z_PRIMARYKEY",
                [
                    "1|Category|0|0", "2|Item|0|0", "3|Milestone|2|0", "4|task|2|0",
                    "5|SubTask|4|0", "6|Plan|0|0", "7|Tag|0|0",
                ])
        }
    }

    @Test func givesClashingSiblingsNumberedColumns() throws {
        let schema = StoreLayout(
            try model(
                """
                Attachment: { parent: Base, attributes: { title: String } }
                Base: { abstract: true }
                Folder: { parent: Base, attributes: { title: Integer 16 } }
                Note: { parent: Base, attributes: { title: String } }
                """))
        #expect(
            ["Attachment", "Folder", "Note"].map {
                schema.entity(named: $0)?.attributes["title"]?.column
            } == ["ZTITLE", "ZTITLE1", "ZTITLE2"])
        #expect(
            schema.table(named: "ZBASE")?.columns.map { "\($0.name) \($0.type)" } == [
                "ZTITLE1 INTEGER", "ZTITLE VARCHAR", "ZTITLE2 VARCHAR",
            ])
    }

    @Test func namesAJoinTableByTheSideWithTheLowerNumber() throws {
        let schema = StoreLayout(
            try model(
                """
                Album:
                  relationships:
                    assets: { to: Asset, many: true, inverse: albums, ordered: true }
                Asset:
                  relationships:
                    albums: { to: Album, many: true, inverse: assets, ordered: true }
                """))
        let join = try #require(schema.joinTables.first)
        #expect(
            SchemaSQL.createTable(join)
                == "CREATE TABLE Z_1ASSETS ( Z_1ALBUMS INTEGER, Z_2ASSETS INTEGER,"
                + " Z_FOK_2ASSETS INTEGER, Z_FOK_1ALBUMS INTEGER,"
                + " PRIMARY KEY (Z_1ALBUMS, Z_2ASSETS) )")
        guard case .joinTable(let forward)? = schema.entity(named: "Album")?.toManys["assets"],
            case .joinTable(let backward)? = schema.entity(named: "Asset")?.toManys["albums"]
        else {
            Issue.record("both sides lie in the pair table")
            return
        }
        #expect(
            [forward.ownerColumn, forward.destinationColumn, forward.orderColumn] == [
                "Z_1ALBUMS", "Z_2ASSETS", "Z_FOK_2ASSETS",
            ])
        #expect(
            [backward.ownerColumn, backward.destinationColumn, backward.orderColumn] == [
                "Z_2ASSETS", "Z_1ALBUMS", "Z_FOK_1ALBUMS",
            ])
    }

    @Test func keepsTheEntityOfTheOwnersOfAToManyWithoutInverse() throws {
        let entities = """
            Owner:
              attributes: { name: String }
              relationships: { marks: { to: Mark, many: true } }
            SubOwner: { parent: Owner }
            Mark: { attributes: { name: String } }
            """
        try withStore(entities) { store in
            let context = store.container.newContext()
            for name in ["Owner", "SubOwner"] {
                let mark = try context.insert("Mark")
                try context.insert(name).add(mark, to: .toMany("marks"))
                try context.save()
            }
            // The entities are Mark 1, Owner 2, and SubOwner 3.
            try store.expect(
                "SELECT Z2MARKS, Z2_2MARKS FROM ZMARK ORDER BY Z_PK", ["1|2", "2|3"])
        }
    }

    @Test func configuresTheFileLikeCoreData() throws {
        try withStore(everythingModel) { store in
            try store.expect("PRAGMA auto_vacuum", ["2"])
            try store.expect("PRAGMA page_size", ["4096"])
            try store.expect("PRAGMA journal_mode", ["wal"])
            try store.expect("PRAGMA encoding", ["UTF-8"])
            try store.expect("PRAGMA user_version", ["0"])
            try store.expect("PRAGMA application_id", ["0"])
        }
    }
}
