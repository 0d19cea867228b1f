/// The smallest of the numbers that are added, each but once and as many as there is room for; then
/// those that are next, for whoever adds all of them again.
struct SmallestNumbers: ~Copyable {
    /// What a number takes: itself and room to move to.
    static let bytesPerNumber = 16

    private let numbers: UnsafeMutableBufferPointer<UInt64>
    private var count = 0
    /// From which number on they are wanted, and up to which.
    private var first: UInt64 = 0
    private var last = UInt64.max

    /// - Parameter capacity: how many there is room for; two or more where not all fit.
    init(capacity: Int) {
        numbers = .allocate(capacity: capacity)
    }

    deinit { numbers.deallocate() }

    mutating func add(_ number: UInt64) {
        guard number >= first, number <= last else { return }
        if count == numbers.count { makeRoom() }
        guard number <= last else { return }
        numbers[count] = number
        count += 1
    }

    /// Leaves the greatest to a later pass where hardly any comes twice: a quarter at once, so that
    /// all are not sorted again for each number.
    private mutating func makeRoom() {
        sort()
        let kept = numbers.count - max(1, numbers.count / 4)
        guard count > kept else { return }
        count = kept
        last = numbers[kept - 1]
    }

    private mutating func sort() {
        let room = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
        defer { room.deallocate() }
        count = PairSort.sortUnique(
            UnsafeMutableBufferPointer(rebasing: numbers[..<count]), using: room)
    }

    /// What was found, in order.
    mutating func withSorted<Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt64>) throws(Failure) -> Void
    ) throws(Failure) {
        sort()
        try body(UnsafeBufferPointer(rebasing: numbers[..<count]))
    }

    /// Goes on to the numbers behind those that were found.
    ///
    /// - Returns: false where all were.
    mutating func goOn() -> Bool {
        guard last < .max else { return false }
        first = last + 1
        last = .max
        count = 0
        return true
    }
}
