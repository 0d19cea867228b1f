import Files
import Foundation
import SQLitePages
import TestSeeds
import Testing

/// A file whose nth write is torn, after which nothing is written.
private final class KilledStorage: PageStorage {
    private let file: FileStorage
    private let writesMax: Int
    private(set) var writes = 0

    init(_ path: String, writesMax: Int) throws {
        file = try FileStorage(FileName(path))
        self.writesMax = writesMax
    }

    func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) throws(PageFault) {
        try file.read(room, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(PageFault) {
        writes += 1
        if writes == writesMax {
            try file.write(
                UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)), at: offset)
        }
        guard writes < writesMax else { throw .system(EIO) }
        try file.write(bytes, at: offset)
    }

    func synchronize() throws(PageFault) {
        guard writes < writesMax - 1 else { throw .system(EIO) }
        try file.synchronize()
    }
}

@Suite("A killed writer of SQLite pages") struct KilledWritingTests {
    private static let rows = 6_000

    private func write(_ path: String, to storage: some PageStorage) throws {
        let file = try PageAppender(storage, roots: [4, 5], journal: FileName(path))
        let tree = TableTree(root: 4, in: file)
        let sorter = KeySorter(
            KeyOrder(columns: 1), isUnique: true,
            spill: KeySpill(in: FileName(path).folder), memoryBytes: 1 << 20)
        var encoder = RecordEncoder()
        for row in 1...Int64(Self.rows) {
            let text = Array("title \(row * 7919 % 20_011)".utf8)
            encoder.begin(columns: 2)
            encoder.addNull()
            text.withUnsafeBytes { encoder.add(text: $0) }
            try tree.add(rowID: row, encoder.finish())
            encoder.begin(columns: 2)
            text.withUnsafeBytes { encoder.add(text: $0) }
            encoder.add(row)
            try sorter.add(encoder.finish())
        }
        try tree.finish()
        let index = IndexTree(root: 5, in: file)
        try sorter.forEach { key throws(PageFault) in try index.add(key) }
        try index.finish()
        try file.commit()
    }

    @Test("a kill at any write leaves the former file, and the next attempt succeeds")
    func rollsBack() throws {
        let folder = try ScratchFolder()
        let original = folder.file("original.sqlite")
        try Database(original).execute(
            """
            PRAGMA auto_vacuum = 2;
            CREATE TABLE OLD (A);
            WITH RECURSIVE n(A) AS (SELECT 1 UNION ALL SELECT A + 1 FROM n WHERE A < 5000)
            INSERT INTO OLD SELECT A FROM n;
            CREATE TABLE NEW (Z_PK INTEGER PRIMARY KEY, TITLE VARCHAR);
            CREATE UNIQUE INDEX NEW_TITLE ON NEW (TITLE);
            """)
        let before = try Data(contentsOf: URL(fileURLWithPath: original))
        var kill = 1
        while true {
            let path = folder.file("\(kill).sqlite")
            try before.write(to: URL(fileURLWithPath: path))
            let storage = try KilledStorage(path, writesMax: kill)
            do {
                try write(path, to: storage)
                break
            } catch PageFault.system(EIO) {}
            let database = try Database(path)
            #expect(try database.integrity() == ["ok"], "kill \(kill)")
            #expect(try database.integer("SELECT count(*) FROM NEW") == 0, "kill \(kill)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before, "kill \(kill)")
            try write(path, to: FileStorage(FileName(path)))
            #expect(try database.integrity() == ["ok"], "after kill \(kill)")
            #expect(
                try database.integer("SELECT count(*) FROM NEW") == Int64(Self.rows),
                "after kill \(kill)")
            kill += 1
        }
        #expect(kill > 5)
    }
}

@Suite("SQLite keys") struct KeySorterTests {
    @Test("a unique index with a second equal key fails, and one with NULLs does not")
    func findsDuplicates() throws {
        let folder = try ScratchFolder()
        func sort(_ keys: [[Value]]) throws -> Int {
            let sorter = KeySorter(
                KeyOrder(columns: 2), isUnique: true,
                spill: KeySpill(in: FileName(folder.path)), memoryBytes: 1 << 20)
            var encoder = RecordEncoder()
            for (row, key) in keys.enumerated() {
                encoder.begin(columns: 3)
                for value in key { encoder.add(value, as: .numeric) }
                encoder.add(Int64(row))
                try sorter.add(encoder.finish())
            }
            var count = 0
            try sorter.forEach { _ in count += 1 }
            return count
        }
        #expect(throws: PageFault.duplicateKey) {
            try sort([[.integer(1), .text("a")], [.double(2), .null], [.double(1), .text("a")]])
        }
        #expect(try sort([[.integer(1), .null], [.integer(1), .null]]) == 2)
        #expect(try sort([[.integer(1), .text("a")], [.integer(1), .text("b")]]) == 2)
    }

    @Test("keys that are larger than the memory and the blocks of the file are sorted")
    func sortsLargeKeys() throws {
        let folder = try ScratchFolder()
        let sorter = KeySorter(
            KeyOrder(columns: 1), isUnique: true, spill: KeySpill(in: FileName(folder.path)),
            memoryBytes: 1 << 16)
        var encoder = RecordEncoder()
        let keys = (0..<60).map { number -> [UInt8] in
            let text =
                "\(number + 100)" + String(repeating: "x", count: [9, 20_000, 300_000][number % 3])
            encoder.begin(columns: 2)
            encoder.add(.text(text), as: .none)
            encoder.add(Int64(number))
            return Array(encoder.finish())
        }
        for place in keys.indices {
            try keys[place * 37 % 60].withUnsafeBytes { try sorter.add($0) }
        }
        var sorted: [[UInt8]] = []
        try sorter.forEach { sorted.append(Array($0)) }
        let isSorted = sorted == keys
        #expect(isSorted)
    }

    @Test("NaN is stored as NULL, as SQLite does")
    func notANumber() {
        var encoder = RecordEncoder()
        encoder.begin(columns: 1)
        encoder.add(Double.nan, as: .none)
        let stored = Array(encoder.finish())
        encoder.begin(columns: 1)
        encoder.addNull()
        #expect(stored == Array(encoder.finish()))
    }
}
