import Testing

/// `nil` before an operator is the constant, in filters of records as in filters of objects.
@Suite("nil on the left in filters of records") struct NilFilterTests {
    @Test(
        "`keep-if` and `where` accept the same comparisons of nil",
        arguments: [
            ("nil == 'A'", "0"), ("nil != 1", "2"), ("nil IN {1}", "0"), ("nil CONTAINS 'a'", "0"),
            ("nil BETWEEN {1,2}", "0"), ("nil < 2.5", "0"), ("NULL == 'A'", "0"),
            ("NOT nil == 'A'", "2"), ("nil == nil", "2"), ("TERNARY(nil == 1, 1, 2) == 2", "2"),
        ])
    func filters(filter: String, kept: String) throws {
        let place = try DriftPlace()
        try place.write("d.ndjson", "{\"id\":1,\"title\":\"A\"}\n{\"id\":2}\n")
        let result = try place.run("{ import: d.ndjson, into: Task, keep-if: \"\(filter)\" }")
        #expect(result == .silentSuccess)
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == [kept])
        #expect(try place.run("{ import: d.ndjson, into: Task }") == .silentSuccess)
        let removed = try place.run("{ delete: Task, where: \"\(filter)\", at-most: 100% }")
        #expect(removed == .silentSuccess)
        #expect(
            try place.rows("SELECT 2 - count(*) FROM ZTASK") == [kept], "\(filter)")
    }

    @Test("another keyword on the left fails as a key that needs #")
    func otherWords() throws {
        let place = try DriftPlace()
        try place.write("d.ndjson", "{\"id\":1}\n")
        let result = try place.run("{ import: d.ndjson, into: Task, keep-if: \"no == 5\" }")
        #expect(result.status == 78)
        #expect(
            result.standardError.hasPrefix(
                "s.yaml:5:46: error: 'no' is a keyword; a key of that name is written #no"),
            "\(result)")
    }
}
