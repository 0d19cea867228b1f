/// A growing buffer to which encoders write without a capacity check per byte.
struct ByteBuffer {
    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    func deallocate() {
        start.deallocate()
    }

    /// Reserves capacity for `more` bytes.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let larger = max(capacity * 2, count + more)
        let target = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        target.update(from: start, count: count)
        start.deallocate()
        start = target
        capacity = larger
    }

    /// Appends a byte; its capacity must be reserved.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    /// Appends bytes and grows the buffer if needed.
    @inline(__always)
    mutating func append(_ bytes: UnsafePointer<UInt8>, _ byteCount: Int) {
        reserve(byteCount)
        (start + count).update(from: bytes, count: byteCount)
        count += byteCount
    }

    /// Appends bytes and grows the buffer if needed.
    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let first = bytes.baseAddress { append(first, bytes.count) }
    }

    /// Appends bytes and grows the buffer if needed.
    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { append($0) }
    }

    /// The bytes that were appended.
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: UnsafePointer(start), count: count)
    }
}
