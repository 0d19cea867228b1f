import Testing

@testable import GraphModel

@Suite("Patterns and comparisons that are stopped") struct PatternStopTests {
    /// A stop that is raised after it was read a few times.
    private final class Stop: EvaluationStop {
        private(set) var lookCount = 0

        var isRaised: Bool {
            lookCount += 1
            return lookCount > 2
        }
    }

    @Test("a stopped match ends soon and gives no result")
    func stopped() throws {
        let pattern = try CompiledPattern("(?:.?){3000}ZZ")
        let matches = { (text: String, stop: Stop?) in
            Array(text.utf8).withUnsafeBufferPointer { pattern.matches($0, unless: stop) }
        }
        let text = String(repeating: "ab", count: 10_000)
        #expect(matches(text, Stop()) == nil)
        #expect(pattern.steps < 400_000)
        // The next text is matched as if nothing had happened.
        #expect(matches("abZZ", nil) == true)
        #expect(matches("abZ", Stop()) == false)
    }

    @Test("a stop is noticed if all transitions are in the table")
    func stoppedFastMatch() throws {
        let pattern = try CompiledPattern("[ab]*é*")
        for part in ["ab", "é"] {
            #expect(pattern.matches(part))
            let text = Array(String(repeating: part, count: 500_000).utf8)
            let stop = Stop()
            let isMatch = text.withUnsafeBufferPointer { pattern.matches($0, unless: stop) }
            #expect(isMatch == nil)
            #expect(stop.lookCount == 3)
        }
    }

    @Test("a stopped comparison in the localized order ends soon")
    func stoppedComparison() {
        let text = Array(String(repeating: "é\u{323}ж", count: 100_000).utf8)
        let order = { (stop: Stop?) in
            text.withUnsafeBufferPointer { one in
                (text + "ж".utf8).withUnsafeBufferPointer {
                    TextCollation.compare(one, $0, order: .localizedStandard, unless: stop)
                }
            }
        }
        #expect(order(nil) == -1)
        let stop = Stop()
        #expect(order(stop) == 0)
        // A read for each of the some hundred parts of the texts would be many more.
        #expect(stop.lookCount <= 8)
    }
}
