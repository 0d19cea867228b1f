internal import CZlib
internal import Diagnostics
internal import Dispatch
internal import Files

/// Deflates into one gzip member, block by block, on several threads.
///
/// The input is split into blocks of a fixed size. Each block is deflated separately with the
/// preceding 32 KiB as its dictionary, and ends at a byte boundary (a sync flush). The consecutive
/// deflated blocks are therefore one valid stream; checksums are combined. The output depends only
/// on the input and the level, not on the number of threads: mtime is 0, and the operating system
/// is 255 (unknown).
final class GzipWriter {
    typealias Sink = (UnsafeRawBufferPointer) throws(RecordStreamError) -> Void

    static let blockByteCount = 256 * 1024
    static let dictionaryByteCount = 32 * 1024

    private let path: String
    private let level: Int
    private let workers: [WorkerThread]
    private var nextWorker = 0
    /// The jobs: two per thread, one running and one queued so that the thread is never idle, and
    /// one to fill.
    private let jobs: [GzipBlock]
    /// The job that is being filled, and the number of jobs before it that are not written yet.
    private var current = 0
    private var pendingCount = 0
    private var checksum: UInt = 0
    private var length = 0
    private var hasWrittenHeader = false

    init(level: Int, path: String, threads: Int? = nil) throws(RecordStreamError) {
        self.level = min(9, max(0, level))
        self.path = path
        let threads = threads ?? min(8, SystemProcess.processorCount)
        var jobs: [GzipBlock] = []
        workers = (0..<threads).map { _ in WorkerThread() }
        for _ in 0..<(2 * threads + 1) {
            guard let job = GzipBlock(level: self.level) else {
                throw RecordStreamError(.outputCompression(code: Z_MEM_ERROR), in: path)
            }
            jobs.append(job)
        }
        self.jobs = jobs
        checksum = crc32(0, nil, 0)
    }

    deinit {
        // A running job uses memory of this object.
        while pendingCount > 0 {
            jobs[(current - pendingCount + jobs.count) % jobs.count].finished.wait()
            pendingCount -= 1
        }
    }

    /// Adds bytes and passes finished blocks to the sink.
    func write(_ bytes: UnsafeRawBufferPointer, to sink: Sink) throws(RecordStreamError) {
        var rest = bytes
        while !rest.isEmpty {
            let job = jobs[current]
            let count = min(rest.count, Self.blockByteCount - job.inputCount)
            job.append(UnsafeRawBufferPointer(rebasing: rest[..<count]))
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if job.inputCount == Self.blockByteCount { try submit(isLast: false, to: sink) }
        }
    }

    /// Deflates the remaining bytes and ends the member.
    func finish(to sink: Sink) throws(RecordStreamError) {
        try submit(isLast: true, to: sink)
        while pendingCount > 0 { try writeOldest(to: sink) }
        var trailer: [UInt8] = []
        for value in [UInt32(truncatingIfNeeded: checksum), UInt32(truncatingIfNeeded: length)] {
            for shift in [0, 8, 16, 24] as [UInt32] {
                trailer.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        try give(trailer, to: sink)
    }

    private func submit(isLast: Bool, to sink: Sink) throws(RecordStreamError) {
        let job = jobs[current]
        job.isLast = isLast
        workers[nextWorker].runAnyway { job.run() }
        nextWorker = (nextWorker + 1) % workers.count
        pendingCount += 1
        current = (current + 1) % jobs.count
        if pendingCount == jobs.count { try writeOldest(to: sink) }
        if !isLast { jobs[current].empty(after: job) }
    }

    private func writeOldest(to sink: Sink) throws(RecordStreamError) {
        if !hasWrittenHeader {
            hasWrittenHeader = true
            let speed: UInt8 = level == 9 ? 2 : level == 1 ? 4 : 0
            try give([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, speed, 255], to: sink)
        }
        let job = jobs[(current - pendingCount + jobs.count) % jobs.count]
        job.finished.wait()
        pendingCount -= 1
        guard job.code == Z_OK else {
            throw RecordStreamError(.outputCompression(code: job.code), in: path)
        }
        checksum = crc32_combine(checksum, job.checksum, job.inputCount)
        length += job.inputCount
        try sink(UnsafeRawBufferPointer(start: job.output, count: job.outputCount))
    }

    private func give(_ bytes: [UInt8], to sink: Sink) throws(RecordStreamError) {
        // Copied to stable memory, because closures cannot rethrow a typed error.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        try sink(UnsafeRawBufferPointer(copy))
    }
}

/// One block of input and its deflated bytes.
///
/// Unchecked: it has one owner at a time. The writer fills it, passes it to a worker thread, and
/// uses it again only after `finished`. The next block reads its input as a dictionary; neither
/// side changes it until the block is started again, after waiting for it.
private final class GzipBlock: @unchecked Sendable {
    let finished = DispatchSemaphore(value: 0)
    var isLast = false
    private(set) var inputCount = 0
    private(set) var outputCount = 0
    private(set) var checksum: UInt = 0
    private(set) var code: Int32 = Z_OK
    let output: UnsafeMutablePointer<UInt8>

    private let outputCapacity: Int
    private let input: UnsafeMutablePointer<UInt8>
    private let dictionary: UnsafeMutablePointer<UInt8>
    private var dictionaryCount = 0
    private let stream: UnsafeMutablePointer<z_stream>

    init?(level: Int) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = deflateInit2_(
            stream, Int32(level), Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        // zlib's bound is for one finished stream; a sync flush adds an empty stored block.
        outputCapacity = Int(deflateBound(stream, UInt(GzipWriter.blockByteCount))) + 64
        output = .allocate(capacity: outputCapacity)
        input = .allocate(capacity: GzipWriter.blockByteCount)
        dictionary = .allocate(capacity: GzipWriter.dictionaryByteCount)
        if result != Z_OK { return nil }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
        input.deallocate()
        dictionary.deallocate()
    }

    /// Clears the block and copies the end of the previous block as its dictionary.
    func empty(after block: GzipBlock) {
        inputCount = 0
        dictionaryCount = min(block.inputCount, GzipWriter.dictionaryByteCount)
        dictionary.update(
            from: block.input + block.inputCount - dictionaryCount, count: dictionaryCount)
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawPointer(input + inputCount).copyMemory(
            from: bytes.baseAddress ?? UnsafeRawPointer(input), byteCount: bytes.count)
        inputCount += bytes.count
    }

    /// Deflates the block; runs on a worker thread.
    func run() {
        checksum = crc32(crc32(0, nil, 0), input, UInt32(inputCount))
        deflateReset(stream)
        if dictionaryCount > 0 {
            deflateSetDictionary(stream, dictionary, UInt32(dictionaryCount))
        }
        stream.pointee.next_in = input
        stream.pointee.avail_in = UInt32(inputCount)
        stream.pointee.next_out = output
        stream.pointee.avail_out = UInt32(outputCapacity)
        let result = deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
        outputCount = outputCapacity - Int(stream.pointee.avail_out)
        let isWhole = stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
        let expected = isLast ? Z_STREAM_END : Z_OK
        code = isWhole && (result == expected) ? Z_OK : (result == Z_OK ? Z_BUF_ERROR : result)
        finished.signal()
    }
}
