import Diagnostics
import Foundation
import Synchronization
import Testing

@testable import Pipelines

/// To-one relationships as parts of the keys of links and of nested objects.
@Suite("Relationships in keys") struct RelationshipKeyTests {
    private static let model = """
        model: 1
        entities:
          Artist:
            attributes: { name: String }
            relationships: { albums: { to: Album, many: true, inverse: artist } }
          Album:
            attributes: { title: String }
            relationships:
              artist: { to: Artist, inverse: albums }
              tracks: { to: Track, many: true, ordered: true, inverse: album }
              cover: { to: Cover, inverse: album }
          Cover:
            attributes: { color: String }
            relationships: { album: { to: Album, inverse: cover } }
          Track:
            attributes: { number: Integer 64, title: String }
            relationships:
              album: { to: Album, inverse: tracks }
              next: { to: Track, inverse: previous }
              previous: { to: Track, many: true, inverse: next }
              notes: { to: Note, many: true, inverse: track }
              plays: { to: Play, many: true, inverse: track }
          Note:
            attributes: { line: Integer 64, text: String }
            relationships: { track: { to: Track, inverse: notes } }
          Play:
            attributes: { day: String }
            relationships: { track: { to: Track, inverse: plays } }
        """

    /// Two albums with the same title, each with tracks of the same numbers.
    private static let library = """
        {"title":"Hits","artist":"Ann","tracks":[{"number":1,"title":"a1"},{"number":2,"title":"a2"}]}
        {"title":"Hits","artist":"Bob","tracks":[{"number":1,"title":"b1"}]}
        {"title":"Solo","artist":"Bob","tracks":[{"number":1,"title":"c1"}]}
        """

    private static let albums = """
        - import: albums.ndjson
          into: Album
          key: [title, artist]
          link:
            artist: { by: { name: artist }, missing: create }
            tracks: { each: "tracks[*]", key: [album, number] }
        """

    private static let play = """
        - import: plays.ndjson
          into: Play
          key: day
          link:
            track:
              by:
                number: n
                album: { by: { title: album, artist: { by: { name: artist } } } }
        """

    private static let tracks = """
        SELECT t.ZNUMBER, t.ZTITLE, a.ZTITLE, r.ZNAME FROM ZTRACK t
        LEFT JOIN ZALBUM a ON a.Z_PK = t.ZALBUM LEFT JOIN ZARTIST r ON r.Z_PK = a.ZARTIST
        ORDER BY 4, 3, 1
        """

    private func counts(_ run: Run, _ stage: Int = 0) -> String {
        guard let records = run.outcome.stages[stage].records else { return run.text }
        return "\(records.inserted) \(records.updated) \(records.unchanged) \(records.rejected)"
    }

    @Test("identifies nested objects among the objects of their owner")
    func owner() throws {
        let folder = try Workspace()
        try folder.write("albums.ndjson", Self.library)
        #expect(counts(try folder.run(model: Self.model, Self.albums)) == "3 0 0 0")
        let rows = ["1|a1|Hits|Ann", "2|a2|Hits|Ann", "1|b1|Hits|Bob", "1|c1|Solo|Bob"]
        #expect(try folder.rows(Self.tracks) == rows)
        let all = "SELECT * FROM ZTRACK"
        let stored = try folder.rows(all)
        #expect(counts(try folder.run(model: Self.model, Self.albums)) == "0 0 3 0")
        #expect(try folder.rows(all) == stored)
        // The key moves no track to another album; the later of two equal tracks wins.
        try folder.write(
            "albums.ndjson",
            """
            {"title":"Hits","artist":"Bob","tracks":[{"number":2,"title":"x"},\
            {"number":1,"title":"b0"},{"number":2,"title":"b2"}]}
            {"title":"New","artist":"Bob","tracks":[{"number":1,"title":"x"},\
            {"number":1,"title":"n1"}]}
            """)
        #expect(counts(try folder.run(model: Self.model, Self.albums)) == "1 1 0 0")
        #expect(
            try folder.rows(Self.tracks) == [
                "1|a1|Hits|Ann", "2|a2|Hits|Ann", "1|b0|Hits|Bob", "2|b2|Hits|Bob",
                "1|n1|New|Bob", "1|c1|Solo|Bob",
            ])
        #expect(
            try folder.rows(
                "SELECT t.ZTITLE FROM ZTRACK t JOIN ZALBUM a ON a.Z_PK = t.ZALBUM"
                    + " WHERE a.ZTITLE = 'Hits' AND a.ZARTIST = 2 ORDER BY t.Z_FOK_ALBUM")
                == ["b2", "b0"])
    }

    @Test("the owner of nested objects is part of their key at every level")
    func ownerInside() throws {
        let folder = try Workspace()
        try folder.write(
            "albums.ndjson",
            """
            {"title":"A","tracks":[{"number":1,"notes":[{"line":1,"text":"x"}]},\
            {"number":2,"notes":[{"line":1,"text":"y"},{"line":2,"text":"z"}]}]}
            """)
        let stages = """
            - import: albums.ndjson
              into: Album
              key: title
              link:
                tracks:
                  each: "tracks[*]"
                  key: [album, number]
                  link: { notes: { each: "notes[*]", key: [track, line] } }
            """
        #expect(counts(try folder.run(model: Self.model, stages)) == "1 0 0 0")
        let notes = """
            SELECT t.ZNUMBER, n.ZLINE, n.ZTEXT FROM ZNOTE n JOIN ZTRACK t ON t.Z_PK = n.ZTRACK
            ORDER BY 1, 2
            """
        #expect(try folder.rows(notes) == ["1|1|x", "2|1|y", "2|2|z"])
        #expect(counts(try folder.run(model: Self.model, stages)) == "0 0 1 0")
        #expect(try folder.rows(notes) == ["1|1|x", "2|1|y", "2|2|z"])
        #expect(try folder.rows("SELECT count(*) FROM ZNOTE") == ["3"])
    }

    @Test("the owner of a single nested object is its complete key")
    func ownerOfOne() throws {
        let folder = try Workspace()
        let stages = """
            - import: albums.ndjson
              into: Album
              key: title
              link: { cover: { each: cover, key: album } }
            """
        try folder.write(
            "albums.ndjson",
            """
            {"title":"A","cover":{"color":"red"}}
            {"title":"B","cover":{"color":"red"}}
            """)
        #expect(counts(try folder.run(model: Self.model, stages)) == "2 0 0 0")
        try folder.write("albums.ndjson", #"{"title":"B","cover":{"color":"blue"}}"#)
        #expect(try folder.run(model: Self.model, stages).status == .ok)
        #expect(
            try folder.rows(
                "SELECT a.ZTITLE, c.ZCOLOR, a.ZCOVER = c.Z_PK FROM ZCOVER c"
                    + " JOIN ZALBUM a ON a.Z_PK = c.ZALBUM ORDER BY 1") == ["A|red|1", "B|blue|1"])
        #expect(try folder.rows("SELECT count(*) FROM ZCOVER") == ["2"])
    }

    @Test("a link finds its object by the key of a third object")
    func link() throws {
        let folder = try Workspace()
        try folder.write("albums.ndjson", Self.library)
        try folder.write(
            "plays.ndjson",
            """
            {"day":"mon","n":1,"album":"Hits","artist":"Bob"}
            {"day":"tue","n":1,"album":"Hits","artist":"Ann"}
            {"day":"wed","n":2,"album":"Hits","artist":"Bob"}
            {"day":"thu","n":1,"album":"Hits","artist":"Eve"}
            {"day":"fri","n":1,"album":null,"artist":"Ann"}
            {"day":"sat","n":null,"album":null,"artist":null}
            """)
        let stages = Self.albums + "\n" + Self.play
        let run = try folder.run(model: Self.model, stages, top: "rejects: { allow: 3 }")
        #expect(run.text == "")
        #expect(counts(run, 1) == "4 0 0 2")
        #expect(
            try folder.reasons() == [
                "link n: No Track has number 2 and album.title 'Hits' and album.artist.name 'Bob'"
                    + " (for 'track')",
                "link n: No Track has number 1 and album.title 'Hits' and album.artist.name 'Eve'"
                    + " (for 'track')",
            ])
        let plays = """
            SELECT p.ZDAY, t.ZTITLE FROM ZPLAY p LEFT JOIN ZTRACK t ON t.Z_PK = p.ZTRACK ORDER BY 1
            """
        #expect(try folder.rows(plays) == ["fri|NULL", "mon|b1", "sat|NULL", "tue|a1"])
        let again = try folder.run(model: Self.model, stages, top: "rejects: { allow: 3 }")
        #expect(counts(again, 1) == "0 0 4 2")
    }

    @Test("rejects a record if a relationship of its link key matches two objects")
    func ambiguous() throws {
        let folder = try Workspace()
        try folder.write("albums.ndjson", Self.library)
        try folder.write("plays.ndjson", #"{"day":"mon","n":2,"album":"Hits"}"#)
        let run = try folder.run(
            model: Self.model,
            Self.albums + """

                - import: plays.ndjson
                  into: Play
                  key: day
                  link: { track: { by: { number: n, album: { by: { title: album } } } } }
                """, top: "rejects: { allow: 1 }")
        #expect(counts(run, 1) == "0 0 0 1")
        #expect(
            try folder.reasons() == [
                "key n: Several 'Album' objects have title 'Hits': primary keys 1 and 2 (for 'track')"
            ])
    }

    @Test(
        "a link by the key of a third object can refer to a later record of the same stage",
        arguments: ["name", "objectID"])
    func later(_ artist: String) throws {
        let folder = try Workspace()
        try folder.write("albums.ndjson", Self.library)
        try folder.write(
            "tracks.ndjson",
            """
            {"n":3,"album":"Solo","artist":"Bob","next":4,"by":\(artist == "name" ? "\"Bob\"" : "2")}
            {"n":4,"album":"Solo","artist":"Bob","next":5,"by":\(artist == "name" ? "\"Bob\"" : "2")}
            {"n":5,"album":"Solo","artist":"Bob","next":3,"by":\(artist == "name" ? "\"Bob\"" : "2")}
            {"n":4,"album":"Hits","artist":"Bob"}
            {"n":6,"album":"Solo","artist":"Bob","next":9,"by":\(artist == "name" ? "\"Bob\"" : "2")}
            """)
        let stages = """
            - import: tracks.ndjson
              into: Track
              key: [number, album]
              set: { number: n }
              link:
                album: { by: { title: album, artist: { by: { name: artist } } } }
                next:
                  by:
                    number: next
                    album: { by: { title: album, artist: { by: { \(artist): by } } } }
            """
        // A record without `next` refers to no object, since a part of the key is absent.
        let run = try folder.run(
            model: Self.model, Self.albums + "\n" + stages, top: "rejects: { allow: 1 }")
        #expect(counts(run, 1) == "4 0 0 1")
        #expect(
            try folder.reasons().map { String($0.prefix(40)) } == [
                "link next: No Track has number 9 and alb"
            ])
        #expect(
            try folder.rows(
                "SELECT t.ZNUMBER, n.ZNUMBER FROM ZTRACK t JOIN ZTRACK n ON n.Z_PK = t.ZNEXT"
                    + " ORDER BY 1") == ["3|4", "4|5", "5|3"])
    }

    @Test("plan counts the shared keys of an import, of its links, and of nested objects")
    func sharedKeys() throws {
        let folder = try Workspace()
        try folder.write(
            "twice.ndjson",
            Array(repeating: #"{"title":"A","name":"N"}"#, count: 2)
                .joined(separator: "\n"))
        let fill = """
            - { import: twice.ndjson, into: Album, when-found: append }
            - { import: a, read: { files: twice.ndjson }, into: Artist, when-found: append }
            - { import: t, read: { files: twice.ndjson }, into: Track, when-found: append }
            - { import: u, read: { files: twice.ndjson }, into: Track, when-found: append }
            """
        #expect(counts(try folder.run(model: Self.model, fill)) == "2 0 0 0")
        try folder.write("albums.ndjson", "")
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml }
            stages:
              - import: albums.ndjson
                into: Album
                key: title
                link:
                  artist: { by: { name: artist } }
                  tracks:
                    each: "tracks[*]"
                    key: title
                    link: { next: { by: { number: n, album: { by: { title: album } } } } }
            """)
        let warnings = Mutex<[Diagnostic]>([])
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.isDry = true
        _ = PipelineRunner(
            options: options, warn: { warning in warnings.withLock { $0.append(warning) } }
        ).run(folder.path("spec.yaml"))
        let notes = warnings.withLock { $0 }.filter { $0.code == "import.shared-keys" }
        let rest = "shared by several objects; records with it are rejected"
        #expect(
            notes.map(\.message) == [
                "Import 'import-albums', `key`: 1 key of 'Album' is \(rest)",
                "Import 'import-albums', `link.artist.by`: 1 key of 'Artist' is \(rest)",
                "Import 'import-albums', `link.tracks.key`: 1 key of 'Track' is \(rest)",
                "Import 'import-albums', `link.tracks.link.next.by.album.by`: 1 key of 'Album' is \(rest)",
            ])
    }

    @Test("check reports properties that cannot be part of a link key")
    func lints() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let text = try folder.check(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: plays.ndjson
                into: Play
                key: day
                link:
                  track: { by: { number: n, album: album }, missing: create }
              - import: more.ndjson
                into: Play
                key: day
                link:
                  track: { by: { title: { by: { a: b } }, notes: { by: { line: l } } } }
              - import: more
                read: { files: more.ndjson }
                into: Play
                key: day
                link:
                  track: { by: { album: { to: Artist, by: { name: n } }, next: { by: { x: y } } } }
            """)
        let errors = text.split(separator: "\n").filter {
            $0.contains("error:") || $0.hasPrefix("  fix:")
        }
        #expect(
            errors == [
                "spec.yaml:8:33: error: 'album' is a relationship, and a field does not identify its object [spec.rule]",
                "  fix: give the key of the object: `album: { by: { ATTRIBUTE: FIELD } }`",
                "spec.yaml:8:58: error: `missing: create` cannot make a 'Track', since 'album' in its key leads to another object [spec.link-create]",
                "  fix: use reject, null, or skip, or import the objects first",
                "spec.yaml:13:22: error: 'title' is an attribute, which a field fills [spec.rule]",
                "  fix: name the field: `title: FIELD`",
                "spec.yaml:13:47: error: 'notes' leads to many objects, so it cannot be part of a key [spec.rule]",
                "  fix: use attributes and to-one relationships",
                "spec.yaml:19:35: error: 'album' leads to 'Album', and 'Artist' is not such an entity [spec.link-target]",
                "  fix: use Album",
                "spec.yaml:19:76: error: 'Track' has no attribute 'x' [spec.unknown-attribute]",
            ])
    }

    @Test("a preview shows a nested link key in the form of the spec")
    func preview() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "plays.ndjson", #"{"day":"mon","n":1,"album":"Hits","artist":"Bob"}"#)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
            \(Self.play)
            """)
        let outcome = Preview(
            ParameterValues.Context(
                sets: [], environment: [:], now: Workspace.now, workingFolder: "/"),
            only: nil, limit: 10, to: folder.path("lines"), triedMax: 10, emit: { _ in }
        ).run(folder.path("spec.yaml"))
        #expect(outcome.errors.isEmpty)
        let line = try folder.text("lines")
        #expect(
            line.contains(
                #""track":{"by":{"number":1,"album":{"by":{"title":"Hits","artist":{"by":{"name":"Bob"}}}}}}"#
            ),
            "\(line)")
    }
}
