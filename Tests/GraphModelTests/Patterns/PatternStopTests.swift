import Testing

@testable import GraphModel

@Suite("Patterns that are stopped") struct PatternStopTests {
    /// Is raised when it was looked at a few times.
    private final class Stop: EvaluationStop {
        private var looks = 0

        var isRaised: Bool {
            looks += 1
            return looks > 2
        }
    }

    @Test("a long match ends soon after it is told to, and says nothing of the text")
    func stopped() throws {
        let pattern = try CompiledPattern("(?:.?){3000}ZZ")
        let matches = { (text: String, stop: Stop?) in
            Array(text.utf8).withUnsafeBufferPointer { pattern.matches($0, unless: stop) }
        }
        let text = String(repeating: "ab", count: 10_000)
        #expect(matches(text, Stop()) == nil)
        #expect(pattern.steps < 400_000)
        // The next text is as if nothing had been.
        #expect(matches("abZZ", nil) == true)
        #expect(matches("abZ", Stop()) == false)
    }
}
