/// Collects the smallest distinct numbers up to a capacity, in passes: in the next pass, the caller
/// adds all numbers again and gets the next ones.
struct SmallestNumbers: ~Copyable {
    /// The memory per number in bytes: the number itself, and working memory.
    static let bytesPerNumber = 16

    private let numbers: UnsafeMutableBufferPointer<UInt64>
    private var count = 0
    /// The range of the numbers that this pass collects; others are ignored.
    private var first: UInt64 = 0
    private var last = UInt64.max

    /// Allocates memory for the numbers of one pass.
    ///
    /// - Parameter capacity: The maximum number of numbers; at least two if not all of them fit.
    init(capacity: Int) {
        numbers = .allocate(capacity: capacity)
    }

    deinit { numbers.deallocate() }

    mutating func add(_ number: UInt64) {
        guard number >= first, number <= last else { return }
        if count == numbers.count { makeSpace() }
        guard number <= last else { return }
        numbers[count] = number
        count += 1
    }

    /// Makes space for another number by removing duplicates.
    private mutating func makeSpace() {
        sort()
        let kept = numbers.count - max(1, numbers.count / 4)
        guard count > kept else { return }
        count = kept
        last = numbers[kept - 1]
    }

    private mutating func sort() {
        let room = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
        defer { room.deallocate() }
        count = RadixSort.sortUnique(
            UnsafeMutableBufferPointer(rebasing: numbers[..<count]), using: room)
    }

    /// Calls a closure with the collected numbers in order.
    mutating func withSorted<Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt64>) throws(Failure) -> Void
    ) throws(Failure) {
        sort()
        try body(UnsafeBufferPointer(rebasing: numbers[..<count]))
    }

    /// Starts the next pass, for larger numbers.
    ///
    /// - Returns: False if all numbers were collected.
    mutating func startNextPass() -> Bool {
        guard last < .max else { return false }
        first = last + 1
        last = .max
        count = 0
        return true
    }
}
