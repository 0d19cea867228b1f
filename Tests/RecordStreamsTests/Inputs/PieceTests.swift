import RecordStreams
import TestSeeds
import Testing

/// Pieces of an input that are decoded separately have the same result as the complete input.
@Suite("Pieces") struct PieceTests {
    private static let tooBig = String(repeating: "x", count: 70)
    /// The parts of the lines of each format, good and bad.
    private static let parts: [(name: String, parts: [String])] = [
        (
            "a.csv",
            [
                "1,2", "a", ",", "\"", "\"\"", "\"x\"", "\"x\ny\"", "\n", "\n", "1,2\n", "\r\n",
                "\r", " ", "é",
            ]
        ),
        ("b.csv", ["1,2\n", "3,\"4\"\n", "\"5\n6\",7\r\n", "8,\"9 \"\"\"\n", "5\" x,1\n"]),
        ("c.csv", ["1,2\n", "\"3\n\",4\n", "\n", tooBig + "\n"]),
        (
            "a.ndjson",
            [
                "{\"a\":1}", "{\"a\":2,\"x\":[]}", "{\"b\":1,\"b\":2}", "{\"a\":", "3", " ", "\n",
                "\n",
                "\r\n", "{\"a\":4}\n", "\u{FEFF}", tooBig,
            ]
        ),
        ("b.ndjson", ["{\"a\":1,\"y\":0}\n", "{\"a\":1}\n", "{\"z\":1}\n", "\n"]),
        ("a.json", ["{\"a\":1},", "{\"a\":2,\"x\":[]},", "{\"a\":01},", "7,", "\n"]),
    ]

    @Test(arguments: parts.indices)
    func decodingInPiecesGivesTheSameRecords(_ format: Int) throws {
        let folder = try TemporaryFolder()
        let (name, parts) = Self.parts[format]
        let isCSV = name.hasSuffix("csv")
        let selection = FieldSelection([FieldPath(name: "a"), FieldPath(name: "b")])
        let first = TestSeed.ofThisRun
        for seed in (0..<150).map({ first &+ $0 }) {
            var random = SeededGenerator(seed: seed)
            var text = isCSV && random.pick(2) == 0 ? "a,b\n" : ""
            var options = ReadOptions()
            options.header = !text.isEmpty
            if isCSV, !options.header { options.columns = ["a", "b"] }
            for _ in 0..<[3, 30, 300][random.pick(3)] { text += parts[random.pick(parts.count)] }
            if name == "a.json" { text = "[" + text + "{}]" }
            options.chunkBytes = [1, 5, 64, 300, 1 << 16][random.pick(5)]
            options.maxRecordBytes = name == "a.csv" ? [5, 20, 60, 10_000][random.pick(4)] : 60
            options.batchRecordsMax = 64
            var bytes = Array(text.utf8)
            if random.pick(4) == 0 { bytes[random.pick(bytes.count)] = 0xFF }
            let input = try folder.write(bytes, to: name)
            let whole = Self.compared(Reading.whole(input, options, selection))
            for decoders in 1...3 {
                let pieces = Reading.inPieces(input, options, selection, decoders: decoders)
                #expect(
                    Self.compared(pieces) == whole,
                    "seed \(seed), by \(decoders), chunks of \(options.chunkBytes)")
            }
        }
    }

    /// Returns the reading without the blank lines after the last record, which depend on the ends
    /// of chunks.
    private static func compared(_ whole: Reading.Whole) -> Reading.Whole {
        var whole = whole
        whole.reading.blankLines = 0
        return whole
    }

    /// Tests which records are left to other decoders; the rest is decoded by the reading thread.
    @Test func eachPieceFillsABatchWithCompleteRecords() throws {
        let folder = try TemporaryFolder()
        let selection = FieldSelection([FieldPath(name: "a")])
        for (name, line) in [("a.ndjson", "{\"a\":1}\n"), ("a.csv", "1,\"2\n\"\"3\"\n")] {
            let text = (name == "a.csv" ? "a,b\n" : "") + String(repeating: line, count: 150)
            let input = try folder.write(Array(text.utf8), to: name)
            var options = ReadOptions()
            options.batchRecordsMax = 64
            let reader = try RecordReader(input: input, options: options, selection: selection)
            let decoder = PieceDecoder(of: reader)
            let batch = RecordBatch()
            var counts: [Int] = []
            while try reader.nextPiece(batch) {
                #expect(batch.count == 0)
                decoder.decode(batch)
                counts.append(batch.count)
            }
            #expect(counts == [64, 64, 22])
        }
    }
}
