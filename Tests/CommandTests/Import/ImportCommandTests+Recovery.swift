import Foundation
import Testing

/// The messages of an import without a spec that fails or cannot resume, and the fixes that work.
extension ImportCommandTests {
    /// Returns the errors without the names of runs.
    private func errors(_ result: ToolResult) -> String {
        result.standardError.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
    }

    @Test("an unfinished import prevents model changes until --restart discards it")
    func modelAfterFailure() throws {
        try write("tasks.csv", "id,title\n1,Write\n")
        #expect(try cron("import", "tasks.csv", "--into", "t.sqlite") == .silentSuccess)
        try write("tasks.csv", "id,title\n1,Write\n2,Read\n3,Sleep,x\n")
        let failed = try cron("import", "tasks.csv", "--into", "t.sqlite")
        #expect(failed.status == 65)
        #expect(
            errors(failed) == """
                tasks.csv:4:1: error: The record has 3 fields where the header has 2 \
                [csv.too-many-fields]
                  in: record 3, byte 24
                  fix: enclose fields that contain the delimiter in quotes
                error: 1 of 3 records was rejected; none is allowed [rejects.too-many]
                  fix: correct the file and import it again, or allow rejects with --allow-rejects; \
                the records are in rejects/import-tasks-RUN
                note: 3 read, 1 inserted, 1 unchanged, 1 rejected; t.sqlite has these objects, and \
                the next import continues after them [import.saved]

                """)
        try write("tasks.csv", "id,title,size\n1,Write,5\n2,Read,6\n")
        let refused = try cron("import", "tasks.csv", "--into", "t.sqlite", "--add-columns")
        #expect(refused.status == 65)
        #expect(
            errors(refused) == """
                error: t.sqlite holds the unfinished run RUN of import-tasks, so its model cannot be \
                changed; nothing was imported [import.unfinished]
                  fix: import again with --restart, which reads all files from the beginning

                """)
        #expect(try rows("SELECT ZTITLE FROM ZTASKS", in: "t.sqlite") == ["Write", "Read"])
        let again = try cron(
            "import", "tasks.csv", "--into", "t.sqlite", "--add-columns", "--restart")
        #expect(
            again
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        New in the store's model: Tasks.size Integer 64
                        The old store is t.sqlite.bak-v1

                        """))
        #expect(try rows("SELECT ZSIZE FROM ZTASKS", in: "t.sqlite") == ["5", "6"])
        #expect(
            try rows(
                "SELECT count(*) FROM sqlite_master WHERE name = 'ETL_PROGRESS'", in: "t.sqlite")
                == ["0"])
    }

    @Test("fails and names the unfinished run of another import, which --restart discards")
    func otherUnfinished() throws {
        try write("a.csv", "id,title\n1,Write\n")
        #expect(try cron("import", "a.csv", "--into", "t.sqlite") == .silentSuccess)
        try write("a.csv", "id,title\n1,Write,x\n")
        #expect(try cron("import", "a.csv", "--into", "t.sqlite").status == 65)
        try write("b.csv", "id,name\n1,B\n")
        let refusal = """
            error: t.sqlite holds the unfinished run RUN of import-a, so its model cannot be \
            changed; nothing was imported [import.unfinished]
              fix: complete that run first: import its files again; or discard it with --restart

            """
        let refused = try cron("import", "b.csv", "--into", "t.sqlite")
        #expect(refused.status == 65)
        #expect(errors(refused) == refusal)
        // A replay leaves the notes of the import in the store, next to its own.
        let runs = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/rejects")
        let rejects = "rejects/\(try #require(runs.first))"
        try write("\(rejects)/a.a.csv", "id,title\n2,Read\n")
        #expect(try cron("replay", rejects).status == 0)
        #expect(try errors(cron("import", "b.csv", "--into", "t.sqlite")) == refusal)
        let imported = try cron("import", "b.csv", "--into", "t.sqlite", "--restart")
        #expect(imported.status == 0)
        #expect(
            errors(imported) == """
                warning: The unfinished run RUN of import-a is discarded [run.new-input]
                  fix: import its files again

                """)
        #expect(try rows("SELECT ZNAME FROM ZB", in: "t.sqlite") == ["B"])
        #expect(
            try rows(
                "SELECT count(*) FROM sqlite_master WHERE name = 'ETL_PROGRESS'", in: "t.sqlite")
                == ["0"])
    }

    @Test("a failed import without a valid record reports that nothing was changed")
    func nothingSaved() throws {
        try write("n.csv", "id,n\n1,x\n")
        let failed = try cron("import", "n.csv", "--into", "n.sqlite", "--type", "n=Integer")
        #expect(failed.status == 65)
        #expect(
            errors(failed).hasSuffix(
                "note: 1 read, 1 rejected; no object of n.sqlite was changed [import.saved]\n"),
            "\(failed)")
        // The type is kept, and a different type than the store's fails.
        let other = try cron("import", "n.csv", "--into", "n.sqlite", "--type", "n=String")
        #expect(
            other
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: N.n of n.sqlite is Integer 64, and an import does not change it to \
                        String [import.type]
                          fix: leave out --type for n, import into a new store, or change the model \
                        with `etl migrate`

                        """))
    }

    @Test("the first import reports, without a terminal, the bad value that makes dates text")
    func keptAsText() throws {
        let days = (1...9).map { "\($0),2026-01-0\($0)\n" }.joined()
        try write("d.csv", "id,day\n\(days)10,oops\n")
        #expect(
            try cron("import", "d.csv", "--into", "d.sqlite")
                == ToolResult(
                    status: 0,
                    standardError: """
                        d.csv: warning: D.day: kept as text: 'oops' (d.csv:11) is not a date, and 9 \
                        other values are [import.kept-as-text]
                          fix: correct or remove such values, and import into a new store; or give \
                        --type day=TYPE there to reject these records

                        """))
        #expect(try cron("import", "d.csv", "--into", "d.sqlite") == .silentSuccess)
        #expect(try cron("import", "d.csv", "--into", "q.sqlite", "-q") == .silentSuccess)
    }

    @Test("a join table of two entities of the store fills a relationship")
    func joinTable() throws {
        try write("Playlist.csv", "PlaylistId,Name\n1,A\n2,B\n")
        try write("Track.csv", "TrackId,Title\n10,x\n11,y\n")
        try write("PlaylistTrack.csv", "PlaylistId,TrackId\n1,10\n1,11\n2,11\n")
        #expect(
            try cron("import", "Playlist.csv", "Track.csv", "--into", "m.sqlite") == .silentSuccess)
        #expect(
            try cron("import", "PlaylistTrack.csv", "--into", "m.sqlite")
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        New in the store's model: Playlist.track → Track
                        The old store is m.sqlite.bak-v1

                        """))
        #expect(try cron("import", "PlaylistTrack.csv", "--into", "m.sqlite") == .silentSuccess)
    }

    @Test("warns if a join table has a key that the store lacks")
    func joinTableWithUnknownKey() throws {
        try write("Playlist.csv", "PlaylistId,Name\n1,A\n2,B\n")
        try write("Track.csv", "TrackId,Title\n10,x\n11,y\n")
        try write("PlaylistTrack.csv", "PlaylistId,TrackId\n1,10\n1,11\n3,99\n")
        #expect(
            try cron("import", "Playlist.csv", "Track.csv", "--into", "m.sqlite") == .silentSuccess)
        #expect(
            try cron("import", "PlaylistTrack.csv", "--into", "m.sqlite").standardError == """
                PlaylistTrack.csv: warning: PlaylistTrack: 'PlaylistId' is not linked to Playlist: \
                only 1 of 2 values are its playlistId [import.not-linked]
                  fix: if it is a link, correct its values, and import all files into a new \
                store; or set the link in a spec, as --save-spec DIR writes it
                PlaylistTrack.csv: warning: PlaylistTrack: 'TrackId' is not linked to Track: only 2 \
                of 3 values are its trackId [import.not-linked]
                  fix: if it is a link, correct its values, and import all files into a new \
                store; or set the link in a spec, as --save-spec DIR writes it
                PlaylistTrack.csv: warning: PlaylistTrack holds only the keys of Playlist and \
                Track, so it may be a join table; imported alone, its records become objects \
                [import.join-table]
                  fix: import it together with the files of Playlist and Track into a new \
                store, to get a relationship

                """)
    }

    @Test("--save-spec warns if the files are empty, so that there is no spec")
    func emptyFilesWithoutSpec() throws {
        try write("tasks.csv", "id,title\n1,Write\n")
        #expect(try cron("import", "tasks.csv", "--into", "t.sqlite") == .silentSuccess)
        try write("tasks.csv", "")
        #expect(
            try cron("import", "tasks.csv", "--into", "t.sqlite", "--save-spec", "spec")
                == ToolResult(
                    status: 0,
                    standardError: """
                        tasks.csv: warning: The file has no record [infer.empty]
                          fix: use a file with records
                        warning: The files have no record, so no spec is written to spec [import.no-spec]
                          fix: give --save-spec with files that have records

                        """))
        #expect(try !names().contains("spec"))
    }

    @Test("status of a store shows the last import")
    func status() throws {
        try write("tasks.csv", "id,title\n1,Write\n")
        let missing = try cron("status", "t.sqlite")
        #expect(missing.status == 78)
        try write("t.sqlite", "")
        #expect(try cron("status", "t.sqlite").status == 66)
        #expect(try cron("import", "tasks.csv", "--into", "t.sqlite") == .silentSuccess)
        let shown = try cron("status", "t.sqlite")
        #expect(shown.status == 0)
        #expect(
            shown.standardOutput.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
                .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, .* ago/#, with: "TIME") == """
                    pipeline      import-tasks
                    last run      RUN, exit 0 OK, ended TIME
                    reports       runs

                    """)
        try FileManager.default.removeItem(atPath: "\(folder.path)/runs")
        #expect(
            try cron("status", "t.sqlite")
                == ToolResult(
                    status: 66,
                    standardError: """
                        error: No report in runs is of a run on t.sqlite [report.missing]
                          fix: name the spec that writes the store

                        """))
    }

    @Test("status of a store does not show a run on another store in its folder")
    func statusOfOneOfTwoStores() throws {
        try write("x.csv", "id,title\n1,Write\n")
        for store in ["b.sqlite", "a.sqlite"] {
            #expect(try cron("import", "x.csv", "--into", store) == .silentSuccess)
        }
        try write("x.csv", "id,title\n1,Write\n2,Read,x\n")
        #expect(try cron("import", "x.csv", "--into", "a.sqlite").status == 65)
        let own = try cron("status", "a.sqlite").standardOutput
        #expect(own.contains("exit 65"), "\(own)")
        let other = try cron("status", "b.sqlite")
        #expect(
            other.standardOutput.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
                .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, .* ago/#, with: "TIME") == """
                    pipeline      import-x
                    last run      RUN, exit 0 OK, ended TIME
                    reports       runs

                    """)
    }

    @Test("a replay of the rejects of an earlier file does not count for the file that replaced it")
    func replayOfReplacedFile() throws {
        func replay(_ file: String, _ text: String) throws -> Int32 {
            let path = "\(folder.path)/rejects"
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: path).first)
            try write("rejects/\(name)/\(file)", text)
            return Int32(try cron("replay", "rejects/\(name)").status)
        }
        try write("c.csv", "id,n\n1,1\n")
        #expect(try cron("import", "c.csv", "--into", "c.sqlite") == .silentSuccess)
        try write("c.csv", "id,n\n6,x\n")
        #expect(try cron("import", "c.csv", "--into", "c.sqlite").status == 65)
        try write("c.csv", "id,n\n7,y\n8,8\n")
        #expect(try cron("import", "c.csv", "--into", "c.sqlite").status == 65)
        // The reject of the new file is rejected again.
        #expect(try replay("c.c.csv", "id,n\n6,6\n") == 65)
        let again = try cron("import", "c.csv", "--into", "c.sqlite")
        #expect(again.status == 65)
        #expect(
            again.standardError.contains("error: 1 of 2 records was rejected; none is allowed"),
            "\(again)")
        #expect(try rows("SELECT ZID FROM ZC ORDER BY ZID", in: "c.sqlite") == ["1", "6", "8"])
        #expect(try replay("c.again-2.c.csv", "id,n\n7,7\n") == 0)
        #expect(
            try etl("import", "c.csv", "--into", "c.sqlite").standardOutput == """
                C from c.csv: key id; n Integer 64
                Imported into c.sqlite: 2 read, 1 inserted, 1 replayed

                """)
        #expect(
            try rows("SELECT ZID FROM ZC ORDER BY ZID", in: "c.sqlite") == ["1", "6", "7", "8"])
    }

    #if os(Linux)
        @Test("fails if the file system takes no new names in an existing folder")
        func folderWithoutNewNames() throws {
            try write("f.csv", "id,title\n1,Write\n")
            let imported = try cron("import", "f.csv", "--into", "/proc/x.sqlite")
            #expect(
                imported
                    == ToolResult(
                        status: 73,
                        standardError: """
                            error: The folder /proc/runs of the reports cannot be created \
                            [report.folder]
                              fix: check its permissions, or set `report.to`

                            """))
            let inferred = try cron("infer", "f.csv", "--output", "/proc/zz")
            #expect(
                inferred
                    == ToolResult(
                        status: 73,
                        standardError: """
                            error: The folder /proc/zz cannot be created: No such file or directory \
                            [output.folder]
                              fix: check its permissions, or name another

                            """))
        }
    #endif

    @Test("the current folder as input fails, and the fix names its files without a path")
    func folderAsFile() throws {
        #expect(
            try cron("import", ".", "--into", "t.sqlite").standardError == """
                .: error: The file cannot be read: Is a directory [input.unreadable]
                  fix: name the files in it, such as *.csv

                """)
        #expect(
            try cron("infer", "./").standardError.hasSuffix(
                "  fix: name the files in it, such as *.csv\n"))
    }
}
