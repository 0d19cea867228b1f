import Foundation
import Testing

/// Replays of rejects whose first lines look like something else: a comment, another line end,
/// another format.
@Suite("Reject files are read as their inputs were") struct ReplayFormTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        /// The options after `files`.
        var read: String
        var input: String
        /// The fields that fill `id` and `title`.
        var set = "id: id"
        var isStandardInput = false
        /// The reject file.
        var rejects: String
        var imported = "1"
    }

    static let cases = [
        Case(
            testDescription: "a column whose name begins with the comment character",
            read: ", quote: none, comment: \"#\", columns: [\"#id\", id]",
            input: "a,b\n1,1\nx,y\nz,w\n", rejects: "_id,id\nx,y\nz,w\n"),
        Case(
            testDescription: "the same column with an escape",
            read: ", quote: none, escape: \"\\\\\", comment: \"#\", columns: [\"#id\", id]",
            input: "a,b\n1,1\nx,y\nz,w\n", rejects: "\\#id,id\nx,y\nz,w\n"),
        Case(
            testDescription: "a first row that contains a carriage return",
            read: ", header: false, columns: [id, title]", input: "1,a\nx\r7,invented\n",
            rejects: "x\r7,invented\n"),
        Case(
            testDescription: "a table with carriage returns as line ends",
            read: "", input: "id,title\r1,a\rx,\"b\"c\n7,d\re,f\r",
            rejects: "id,title\rx,\"b\"c\n7,d\re,f\r"),
        Case(
            testDescription: "lines from standard input, the first of which is not JSON",
            read: "", input: "{\"id\":1}\n{\"id\":}\n{\"id\":\"x\"}\n", isStandardInput: true,
            rejects: "{\"id\":}\n{\"id\":\"x\"}\n"),
        Case(
            testDescription: "a column whose name contains a part of the delimiter",
            read: ", delimiter: \"||\", quote: none", input: "a|b||id\n1||1\nx||y\n",
            set: "id: id, title: \"a|b\"", rejects: "a|b||id\nx||y\n"),
        Case(
            testDescription: "a row without a header that begins with a byte-order mark",
            read: ", header: false, columns: [id, title]", input: "1,a\n\u{FEFF}2,b\n",
            rejects: "\u{FEFF}\u{FEFF}2,b\n"),
    ]

    @Test("a replay of unchanged rejects keeps all of them and imports nothing", arguments: cases)
    func keepsAll(_ given: Case) throws {
        let place = try DriftPlace()
        try place.write("t.csv", given.input)
        let file = given.isStandardInput ? "-" : "t.csv"
        try place.write(
            head: "rejects: { allow: 100% }",
            [
                """
                import: tasks
                    read: { files: "\(file)"\(given.read) }
                    into: Task
                    set: { \(given.set) }
                """
            ])
        let run = try Tool.etl(
            ["run", "s.yaml"], in: place.folder.path,
            input: given.isStandardInput ? given.input : nil)
        #expect(run == .silentSuccess)
        let rejects = place.folder.path + "/rejects"
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: rejects).first)
        func records() throws -> [UInt8] {
            let file = "\(rejects)/\(name)/tasks.\(given.isStandardInput ? "stdin" : "t.csv")"
            return Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        }
        #expect(try records() == Array(given.rejects.utf8))
        for _ in 0..<2 {
            let replay = try Tool.etl(["replay", "rejects/\(name)"], in: place.folder.path)
            #expect(replay == .silentSuccess)
            #expect(try records() == Array(given.rejects.utf8))
        }
        #expect(try place.rows("SELECT ZID FROM ZTASK") == [given.imported])
    }
}
