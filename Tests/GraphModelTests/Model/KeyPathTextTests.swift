import Testing

@testable import GraphModel

@Suite("Key paths as text") struct KeyPathTextTests {
    @Test func splitsKeyPathsAtDots() {
        #expect("region.magnitude.richter".keyPath == ["region", "magnitude", "richter"])
        #expect("code".keyPath == ["code"])
        #expect(".code".keyPath == ["", "code"])
        #expect("".keyPath == [""])
    }

    @Test func findsTheCompositesAroundAnElement() {
        #expect("magnitude.first.richter".compositesAround == ["magnitude", "magnitude.first"])
        #expect("code".compositesAround == [])
        #expect("magnitude.first.richter".isElement(of: "magnitude"))
        #expect(!"magnitudes.first".isElement(of: "magnitude"))
        #expect(!"magnitude".isElement(of: "magnitude"))
    }
}
