/// A radix sort for integers, in linear time.
enum RadixSort {
    private static let digitBits = 11
    private static let digitMask: UInt64 = (1 << 11) - 1

    /// Sorts numbers and removes duplicates.
    ///
    /// - Parameter room: A second buffer of the same size, to work in.
    /// - Returns: The number of distinct numbers, which are at the start of the buffer.
    static func sortUnique(
        _ numbers: UnsafeMutableBufferPointer<UInt64>,
        using room: UnsafeMutableBufferPointer<UInt64>
    ) -> Int {
        guard let start = numbers.baseAddress, let other = room.baseAddress else { return 0 }
        var differing: UInt64 = 0
        for number in numbers { differing |= number ^ start[0] }
        var (from, to) = (start, other)
        for shift in stride(from: UInt64(0), to: 64, by: digitBits)
        where differing >> shift & digitMask != 0 {
            move(from, to, numbers.count, byDigitAt: shift)
            swap(&from, &to)
        }
        var count = 0
        for place in 0..<numbers.count where place == 0 || from[place] != from[place - 1] {
            // This position has already been read.
            start[count] = from[place]
            count += 1
        }
        return count
    }

    /// Sorts the numbers by one digit; the sort is stable.
    private static func move(
        _ from: UnsafeMutablePointer<UInt64>, _ to: UnsafeMutablePointer<UInt64>, _ count: Int,
        byDigitAt shift: UInt64
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << digitBits) { places in
            places.initialize(repeating: 0)
            for place in 0..<count { places[Int(from[place] >> shift & digitMask)] += 1 }
            var next = 0
            for digit in places.indices {
                let digits = places[digit]
                places[digit] = next
                next += digits
            }
            for place in 0..<count {
                let digit = Int(from[place] >> shift & digitMask)
                to[places[digit]] = from[place]
                places[digit] += 1
            }
        }
    }
}
