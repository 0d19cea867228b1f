import Testing

@testable import GraphStore
@testable import RowStore

@Suite struct OwnerMarksTests {
    @Test func markIsNeverAfterTheFirstJoinRowOfItsOwner() {
        var marks = OwnerMarks(marksMax: 4)
        // Each owner has three pairs.
        for owner in Int64(1)...200 {
            marks.add(owner, number: owner * 3)
            for earlier in Int64(1)...owner {
                #expect(marks.number(before: earlier) <= earlier * 3)
            }
        }
    }

    @Test func doublesTheMarkDistanceIfThereAreTooManyMarks() {
        var marks = OwnerMarks(marksMax: 4)
        for owner in Int64(1)...32 { marks.add(owner, number: owner * 3) }
        #expect([1, 8, 9, 16, 17, 32].map { marks.number(before: $0) } == [3, 3, 27, 27, 51, 75])
        // If a fifth mark is needed, every second mark is dropped, and the distance doubles.
        for owner in Int64(33)...64 { marks.add(owner, number: owner * 3) }
        #expect(
            [1, 9, 17, 33, 48, 49, 64].map { marks.number(before: $0) } == [
                3, 3, 51, 99, 99, 147, 147,
            ])
    }

    @Test func dropsMarksThatAreRolledBack() {
        var marks = OwnerMarks()
        for owner in Int64(1)...32 { marks.add(owner, number: owner * 3) }
        marks.removeAll(from: 51)
        #expect(marks.number(before: 32) == 27)
        #expect(OwnerMarks().number(before: 5) == 1)
    }
}
