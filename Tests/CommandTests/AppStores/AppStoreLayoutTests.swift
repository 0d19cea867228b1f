import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// An app's store gets exactly the same rows as a store that etl has created.
///
/// This includes keys, companions, orders, both sides of one-to-ones, join rows, versions, and
/// counters.
@Suite("Rows of apps' stores") struct AppStoreLayoutTests {
    private static let model = """
        model: 1
        entities:
          Pet:
            attributes: { name: { type: String, optional: false }, born: Date }
            relationships:
              fans: { to: Player, many: true, inverse: favorite }
            unique: [[name]]
          Cat: { parent: Pet, attributes: { lives: { type: Integer 16, default: 9 } } }
          Dog: { parent: Pet, attributes: { tricks: { type: Integer 16 } } }
          Team:
            attributes: { name: { type: String, optional: false } }
            relationships:
              members: { to: Player, many: true, ordered: true, inverse: team, delete: cascade }
            unique: [[name]]
          Player:
            attributes: { nick: { type: String, optional: false }, score: Double }
            relationships:
              team: { to: Team, inverse: members }
              favorite: { to: Pet, inverse: fans }
              card: { to: Card, inverse: player, delete: cascade }
              friends: { to: Player, many: true, inverse: friends }
              rivals: { to: Player, many: true, ordered: true, inverse: rivalOf }
              rivalOf: { to: Player, many: true, inverse: rivals }
            unique: [[nick]]
          Card:
            attributes: { code: { type: UUID, optional: false } }
            relationships: { player: { to: Player, inverse: card } }
            unique: [[code]]
        """

    private static let imports = """
        stages:
          - { import: dogs, read: { files: dogs.csv }, into: Dog }
          - { import: cats, read: { files: cats.csv }, into: Cat }
          - { import: teams, read: { files: teams.csv }, into: Team }
          - import: players
            read: { files: players.ndjson }
            into: Player
            link:
              team: { by: { name: team } }
              favorite: { by: { name: pet } }
              friends: { by: { nick: "friends[*]" } }
              rivals: { by: { nick: "rivals[*]" } }
          - import: cards
            read: { files: cards.csv }
            into: Card
            link: { player: { by: { nick: player } } }
          - import: holders
            read: { files: holders.csv }
            into: Player
            link: { card: { by: { code: card } } }
        """

    private static let changes = """
        stages:
          - update: score
            entity: Player
            where: "favorite.name BEGINSWITH 'dog'"
            set: { score: "score * 2" }
          - { delete: team, entity: Team, where: "name == 'team 3'" }
          - { delete: dog, entity: Dog, where: "name == 'dog 1'" }
        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write("model.yaml", Self.model)
        try write(
            "dogs.csv",
            "name,tricks,born\n" + lines(20) { "dog \($0),\($0),2020-01-0\($0 % 9 + 1)" })
        try write("cats.csv", "name,born\n" + lines(20) { "cat \($0),2020-01-01T00:00:00.5Z" })
        try write("teams.csv", "name\n" + lines(7) { "team \($0)" })
        try writePlayers { $0 }
        try writeCards { $0 }
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(
            toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }

    private func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map { line($0) + "\n" }.joined()
    }

    private func writePlayers(_ shift: (Int) -> Int) throws {
        try write(
            "players.ndjson",
            lines(200) { number in
                let other = shift(number)
                let pet = other % 3 == 0 ? "cat" : "dog"
                return #"{"nick":"p\#(number)","score":\#(number),"team":"team \#(other % 7)","#
                    + #""pet":"\#(pet) \#(other % 20)","friends":["p\#((other * 7) % 200)"],"#
                    + #""rivals":["p\#((other + 5) % 200)","p\#((other + 3) % 200)"]}"#
            })
    }

    private func writeCards(_ shift: (Int) -> Int) throws {
        try write(
            "cards.csv",
            "code,player\n"
                + lines(90) {
                    "\(code($0)),p\(shift($0))"
                })
        // From the inverse side: some cards get another player, and some players lose their card.
        try write(
            "holders.csv",
            "nick,card\n"
                + lines(30) { "p\(shift($0 * 2 + 1)),\($0 % 5 == 0 ? "" : code($0 * 3))" })
    }

    private func code(_ number: Int) -> String {
        "00000000-0000-0000-0000-\(String(format: "%012d", number))"
    }

    private func run(_ stages: String, _ store: String, _ opening: String) throws {
        let name = store.replacing(".sqlite", with: "")
        try write(
            name + ".yaml",
            "etl: 1\nname: \(name)\nstore: { at: \(store), open: \(opening) }\n" + stages)
        let result = try Tool.etl(["run", name + ".yaml"], in: folder.path)
        #expect(result == .silentSuccess, "\(store)")
    }

    /// Returns every row of every table of objects, without one of the columns.
    private func rows(_ store: String, without dropped: String? = nil) throws -> [String] {
        let path = folder.path + "/" + store
        let tables = try Tool.sqlite(
            path,
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z*'"
                + " AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE') ORDER BY 1")
        return try tables.flatMap { table in
            let columns = try Tool.sqlite(path, "SELECT name FROM pragma_table_info('\(table)')")
                .filter { "\(table).\($0)" != dropped }.joined(separator: ", ")
            return try Tool.sqlite(
                path, "SELECT '\(table)', \(columns) FROM \(table) ORDER BY 1, 2, 3")
        }
    }

    /// This also holds if the app stores a one-to-one relationship in a column of one side only.
    @Test(arguments: [nil, "ZPLAYER.ZCARD", "ZCARD.ZPLAYER"])
    func appStoreGetsTheSameRowsAsAnEtlStore(dropped: String?) throws {
        try write("none.csv", "name\n")
        try run(
            "stages: [{ import: none, read: { files: none.csv }, into: Team }]\n", "empty.sqlite",
            "create, model: model.yaml")
        let (model, diagnostics) = ModelFile.read(text: Self.model)
        try AppStoreFixture.disown(
            folder.path + "/empty.sqlite", try #require(model, "\(diagnostics)"))
        if let dropped { try AppStoreFixture.drop(dropped, at: folder.path + "/empty.sqlite") }
        let ways = [
            ("ours.sqlite", "create, model: model.yaml"),
            ("app.sqlite", "{ template: empty.sqlite }"),
        ]
        func expectEqualRows(sourceLocation: SourceLocation = #_sourceLocation) throws {
            let (ours, apps) = (try rows("ours.sqlite", without: dropped), try rows("app.sqlite"))
            #expect(apps == ours, sourceLocation: sourceLocation)
            #expect(ours.count > 700, sourceLocation: sourceLocation)
            for (store, _) in ways {
                let verified = try Tool.etl(["verify", store], in: folder.path)
                #expect(verified.status == 0, "\(verified)", sourceLocation: sourceLocation)
            }
        }
        for (store, opening) in ways { try run(Self.imports, store, opening) }
        try expectEqualRows()
        // Links move in another order, and cards get other players.
        try writePlayers { ($0 * 3 + 1) % 200 }
        try writeCards { ($0 + 40) % 200 }
        for (store, opening) in ways { try run(Self.imports, store, opening) }
        try expectEqualRows()
        for (store, opening) in ways { try run(Self.changes, store, opening) }
        try expectEqualRows()
        let left = try Tool.sqlite(
            folder.path + "/app.sqlite", "SELECT name FROM sqlite_master WHERE name GLOB 'ETL*'")
        #expect(left == [])
    }
}
