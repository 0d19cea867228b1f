internal import Diagnostics
internal import Dispatch
internal import Files

/// Inflates members ahead on several threads and returns them in order, if each states its size.
///
/// This is the blocked gzip that `bgzip` writes: its extra field `BC` contains the size
/// (https://samtools.github.io/hts-specs/SAMv1.pdf, section 4.1).
///
/// The end of other members can be found only by inflating them.
package final class GzipMembers {
    /// The number of processors except two, one for the reader and one for the writer; at most 8.
    ///
    /// On a machine with two processors this is 0: the additional copies made a load slower.
    package static let threadsOfMachine = max(0, min(8, SystemProcess.processorCount - 2))

    private let input: StoredInput
    private let workers: [WorkerThread]
    private var nextWorker = 0
    private let maxRatio: Int
    /// The maximum number of groups: two per thread, one being inflated and one queued, and one
    /// that is being returned.
    private let groupsMax: Int
    /// The groups, each of which is created when first needed, because it takes half a megabyte.
    private var groups: [GzipMemberGroup] = []
    /// The group that is filled next, and the number of groups before it that are not returned yet.
    private var current = 0
    private var pendingCount = 0
    /// Whether the oldest group is known to be inflated, and how many of its bytes were returned.
    private var isFinished = false
    private var given = 0
    /// The read error, which is thrown after everything before it was returned.
    private var inputFailure: RecordStreamError?

    /// Creates the reader and its threads.
    ///
    /// - Returns: `nil` if the input does not start with a member that states its size, or if there
    ///   are no threads for it.
    init?(
        _ input: StoredInput, maxRatio: Int, threads: Int
    ) throws(RecordStreamError) {
        // A pipe may pause within a group while an earlier group is ready.
        guard input.isRegular, threads > 0, try Self.memberSize(input) != nil else { return nil }
        self.input = input
        workers = (0..<threads).map { _ in WorkerThread() }
        self.maxRatio = maxRatio
        groupsMax = 2 * threads + 1
    }

    /// The number of groups of members that are allocated so far.
    var groupCount: Int { groups.count }

    deinit {
        // A running group uses memory of this object.
        while pendingCount > 0 {
            if !isFinished { oldest.finished.wait() }
            isFinished = false
            pendingCount -= 1
        }
    }

    private var oldest: GzipMemberGroup {
        groups[(current - pendingCount + groupsMax) % groupsMax]
    }

    /// Fills a buffer from one group.
    ///
    /// - Returns: the number of bytes, or 0 after the last member that states its size.
    func read(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        while true {
            while pendingCount < groupsMax, start() {}
            guard pendingCount > 0 else {
                if let inputFailure { throw inputFailure }
                return 0
            }
            let group = oldest
            if !isFinished { group.finished.wait() }
            isFinished = true
            let length = min(count, group.outputCount - given)
            target.update(from: group.output + given, count: length)
            given += length
            if length > 0 { return length }
            // The group stays the oldest, so that the next call throws the failure again.
            if let failure = group.failure { throw failure }
            pendingCount -= 1
            isFinished = false
            given = 0
        }
    }

    /// Returns the damage of the members that are being returned; their bytes must no longer be
    /// needed.
    func damageInGroup() -> RecordStreamError? {
        guard pendingCount > 0 else { return inputFailure }
        if !isFinished { oldest.finished.wait() }
        isFinished = true
        return oldest.failure
    }

    /// Starts a group with the next members.
    ///
    /// - Returns: `false` if no member that states its size follows.
    private func start() -> Bool {
        guard inputFailure == nil else { return false }
        do throws(RecordStreamError) {
            guard try Self.memberSize(input) != nil else { return false }
            if current == groups.count {
                groups.append(try GzipMemberGroup(path: input.path, maxRatio: maxRatio))
            }
        } catch {
            inputFailure = error
            return false
        }
        let group = groups[current]
        group.fill(from: input, &inputFailure)
        workers[nextWorker].runAnyway { group.run() }
        nextWorker = (nextWorker + 1) % workers.count
        current = (current + 1) % groupsMax
        pendingCount += 1
        return true
    }

    /// Returns the size of the next member in bytes, or `nil` if it states none or does not exist.
    static func memberSize(_ input: StoredInput) throws(RecordStreamError) -> Int? {
        try input.fill(18)
        guard input.available.starts(with: [0x1F, 0x8B, 8, 4]), input.available.count >= 18,
            input.available[10...].starts(with: [6, 0, 0x42, 0x43, 2, 0])
        else { return nil }
        let size = Int(input.available[16]) | Int(input.available[17]) << 8 + 1
        guard size > 26 else { return nil }
        try input.fill(size)
        let member = input.available
        guard member.count >= size else { return nil }
        let length = (1...4).reduce(0) { $0 << 8 | Int(member[size - $1]) }
        return length <= GzipMemberGroup.plainByteCount ? size : nil
    }
}

/// Up to four consecutive members and their inflated bytes.
///
/// Unchecked: it has one owner at a time. The reader fills it, passes it to a worker thread, and
/// uses it again only after `finished`.
private final class GzipMemberGroup: @unchecked Sendable {
    /// The maximum inflated size of a member in bytes.
    static let plainByteCount = 1 << 16
    private static let memberCount = 4
    private static let capacity = plainByteCount * memberCount

    let finished = DispatchSemaphore(value: 0)
    let output: UnsafeMutablePointer<UInt8>
    private(set) var outputCount = 0
    /// The fault after the output.
    private(set) var failure: RecordStreamError?
    private let stored: StoredInput
    private let inflater: GzipInflater

    init(path: String, maxRatio: Int) throws(RecordStreamError) {
        stored = StoredInput(movedFrom: path)
        inflater = try GzipInflater(stored, maxRatio: maxRatio)
        // One byte more, to detect that there is more data than the members state.
        output = .allocate(capacity: Self.capacity + 1)
    }

    deinit {
        output.deallocate()
    }

    /// Takes the next members of an input that state their sizes.
    func fill(from input: StoredInput, _ inputFailure: inout RecordStreamError?) {
        var count = 0
        do throws(RecordStreamError) {
            while count < Self.memberCount, let size = try GzipMembers.memberSize(input) {
                stored.move(size, from: input, isFirst: count == 0)
                count += 1
            }
        } catch {
            inputFailure = error
        }
    }

    /// Inflates the members; runs on a worker thread.
    func run() {
        outputCount = 0
        failure = nil
        inflater.restart()
        do throws(RecordStreamError) {
            while outputCount <= Self.capacity {
                let room = Self.capacity + 1 - outputCount
                let count = try inflater.read(into: output + outputCount, count: room)
                if count == 0 { break }
                outputCount += count
            }
            if outputCount > Self.capacity {
                failure = RecordStreamError(
                    .gzipLength, at: RecordLocation(source: stored.path))
            }
        } catch {
            failure = error
        }
        finished.signal()
    }
}
