import Testing

@testable import RecordStreams

/// Repeated nested keys, and records, lists, and names of unusual size.
@Suite("JSON limits") struct JSONLimitTests {
    @Test(arguments: [
        ("items[*].tags[*]", #"{"items":[{"tags":["a"],"tags":["b"]}]}"#, "['b']", 1),
        (
            "items[*].tags[*]",
            #"{"items":[{"tags":["a"]},{"tags":["b","c"],"tags":["d"]},{"tags":["e"]}]}"#,
            "['a' 'd' 'e']", 1
        ),
        (
            "items[*].tags[*]", #"{"items":[{"tags":["a"],"tags":null},{"tags":["z"]}]}"#,
            "['z']", 1
        ),
        (
            "items[*].tags[*]",
            #"{"items":[{"tags":["a"]}],"items":[{"tags":["b"],"tags":[]},{"tags":["c"]}]}"#,
            "['c']", 2
        ),
        ("items[*].sku", #"{"items":[{"sku":1,"sku":2},{"sku":3}]}"#, "[#2 #3]", 1),
        (
            "items[*].x.tags[*]",
            #"{"items":[{"x":{"tags":["a"]},"x":{"tags":["b"],"tags":["c"]}}]}"#, "['c']", 2
        ),
        (
            "a[*].b[*].c[*]",
            #"{"a":[{"b":[{"c":[1,2],"c":[3]},{"c":[4]}]},"#
                + #"{"b":[{"c":[5]}],"b":[{"c":[6],"c":[7]}]}]}"#,
            "[#3 #4 #7]", 3
        ),
        ("o.a[*].b[*]", #"{"o.a":[{"b":[1],"b":[2,3]},{"b":[4]}]}"#, "[#2 #3 #4]", 1),
    ])
    func usesTheLastDuplicateKeyInEachElement(
        path: String, line: String, expected: String, duplicates: Int
    ) throws {
        for chunk in [1, 1 << 16] {
            let reading = try Reading.of(line, as: "a.ndjson", paths: [path], chunk: chunk)
            #expect(
                reading
                    == Reading(records: ["1@1:1 \(expected)"], duplicateKeys: duplicates))
        }
    }

    @Test func countsButDoesNotListExtraNamesOver256Bytes() throws {
        let known = String(repeating: "x", count: 256)
        let long = String(repeating: "y", count: 257)
        let folder = try TemporaryFolder()
        let line = "{\"\(known)\":1,\"\(long)\":2,\"a\":3}\n"
        let input = try folder.write(Array((line + line).utf8), to: "a.ndjson")
        let selection = FieldSelection([FieldPath(name: "a")])
        let whole = Reading.whole(input, ReadOptions(), selection)
        #expect(whole.reading.records == ["1@1:1 #3", "2@2:1 #3"])
        #expect(whole.extraFields == [known: 2])
        let reader = try RecordReader(input: input, options: ReadOptions(), selection: selection)
        let batch = RecordBatch()
        #expect(try reader.next(batch))
        #expect((0..<batch.count).map { batch.extraFieldCount(of: $0) } == [2, 2])
    }

    @Test func releasesTheMemoryOfALongList() throws {
        let count = 300_000
        let long = "[" + String(repeating: "0,", count: count - 1) + "0]"
        let folder = try TemporaryFolder()
        let input = try folder.write(
            Array("{\"a\":\(long)}\n{\"a\":[1,2]}\n{\"a\":\(long)}\n".utf8), to: "a.ndjson")
        var options = ReadOptions()
        options.batchRecordsMax = 1
        let reader = try RecordReader(
            input: input, options: options,
            selection: FieldSelection([try FieldPath(parsing: "a[*]")]))
        let batch = RecordBatch()
        var counts: [Int] = []
        var isKept: [Bool] = []
        while try reader.next(batch) {
            counts.append(batch.items(of: batch.fields(of: 0)[0]).count)
            isKept.append(batch.itemCapacity >= count)
        }
        #expect(counts == [count, 2, count])
        #expect(isKept == [true, false, true])
    }

    private static let big = String(repeating: "x", count: 200)

    @Test(arguments: [
        ("a.ndjson", "{\"a\":1}\n{\"a\":\"\(big)\"}\n{\"a\":2}\n", 8, "2@2:1 json"),
        ("a.json", "[{\"a\":1},{\"a\":\"\(big)\"},{\"a\":2}]", 9, "2@1:10 json"),
        ("a.csv", "a,b\n1,2\n3,\(big)\n4,5\n", 8, "2@3:1 csv"),
    ])
    func keepsTheSamePrefixOfATooBigRecordForAnyChunkSize(
        name: String, text: String, offset: Int, place: String
    ) throws {
        let beginning = String(decoding: Array(text.utf8)[offset..<(offset + 100)], as: UTF8.self)
        for chunk in [1, 7, 64, 150, 4096] {
            let reading = try Reading.of(text, as: name, paths: ["a"], chunk: chunk) {
                $0.maxRecordBytes = 100
            }
            #expect(reading.records.count == 2)
            #expect(reading.rejects == ["\(place).record-too-big \(beginning)"])
            #expect(reading.error == nil)
        }
    }

    @Test func keepsThePrefixOfATooBigRecordAndMarksItTruncated() throws {
        let folder = try TemporaryFolder()
        let line = "{\"a\":\"" + String(repeating: "x", count: 100_000) + "\"}"
        let input = try folder.write(Array("\(line)\nnothing\n".utf8), to: "a.ndjson")
        for chunk in [1 << 12, 1 << 19] {
            var options = ReadOptions()
            options.maxRecordBytes = 70_000
            options.chunkBytes = chunk
            let reader = try RecordReader(
                input: input, options: options, selection: FieldSelection([FieldPath(name: "a")]))
            let batch = RecordBatch()
            var rejects: [RejectedRecord] = []
            while try reader.next(batch) { rejects += batch.rejects }
            let beginning = Array(line.utf8.prefix(1 << 16))
            #expect(rejects.map(\.raw) == [beginning, Array("nothing".utf8)])
            #expect(rejects.map(\.isTruncated) == [true, false])
        }
    }
}
