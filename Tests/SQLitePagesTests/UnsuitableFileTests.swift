import Files
import Foundation
import SQLitePages
import Testing

@Suite("Files to which no pages are appended") struct UnsuitableFileTests {
    @Test(
        "a file in another format is rejected, and SQL loads it instead",
        arguments: [
            ("PRAGMA page_size = 8192", "its pages, its text, or its schema has another format"),
            (
                "PRAGMA encoding = 'UTF-16'",
                "its pages, its text, or its schema has another format"
            ),
            ("PRAGMA page_size = 4096", "it has no pointer map"),
            ("PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL", "it is in WAL mode"),
        ])
    func formats(pragmas: String, reason: String) throws {
        let folder = try ScratchFolder()
        let path = folder.file("a.sqlite")
        do {
            let database = try Database(path)
            try database.execute("\(pragmas); CREATE TABLE T (A)")
        }
        #expect(throws: PageFault.unsuitable(reason)) {
            try PageAppender(FileStorage(FileName(path)), roots: [], journal: nil)
        }
    }

    @Test("a file whose size in the header may be old is rejected")
    func unknownSize() throws {
        let folder = try ScratchFolder()
        let path = folder.file("a.sqlite")
        do {
            let database = try Database(path)
            try database.execute("PRAGMA auto_vacuum = 2; CREATE TABLE T (A)")
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[95] ^= 1
        try bytes.write(to: URL(filePath: path))
        #expect(throws: PageFault.unsuitable("its size is not known")) {
            try PageAppender(FileStorage(FileName(path)), roots: [], journal: nil)
        }
    }

    @Test("a table with rows is rejected as an empty root")
    func filledRoot() throws {
        let folder = try ScratchFolder()
        let path = folder.file("a.sqlite")
        let root: UInt32
        do {
            let database = try Database(path)
            try database.execute(
                "PRAGMA auto_vacuum = 2; CREATE TABLE T (A); INSERT INTO T VALUES (1)")
            root = UInt32(
                try database.integer("SELECT rootpage FROM sqlite_master WHERE name = 'T'"))
        }
        #expect(throws: PageFault.unsuitable("page \(root) is not an empty root")) {
            try PageAppender(FileStorage(FileName(path)), roots: [root], journal: nil)
        }
    }
}
