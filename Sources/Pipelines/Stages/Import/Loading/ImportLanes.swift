import Synchronization

/// The lanes between the inputs of an import and the thread that writes: each lane is a queue of
/// batches with its own reading thread.
final class ImportLanes: Sendable {
    /// The minimum number of batches per lane; with fewer, a lane is idle whenever its reader or
    /// the writer waits.
    private static let batchesMin = 3
    /// The maximum number of batches per lane; a batch that waits longer is no longer in the
    /// processor's cache when it is written.
    private static let batchesMax = 6

    /// The unit of work for a lane.
    enum ReadingUnit {
        /// Complete inputs, which are opened and decompressed in parallel.
        case inputs
        /// Pieces of inputs, one batch each; inputs are read consecutively.
        case pieces
    }

    let unit: ReadingUnit
    /// Whether the inputs are read before the writer begins, on the writer's thread.
    let isReadFirst: Bool
    /// The gate that lets one lane at a time cut the next piece from the input.
    let splitting: RoundRobinGate
    /// The gate that lets one lane at a time count the records of its decoded piece, in input
    /// order.
    let counting: RoundRobinGate
    private let queues: [BatchQueue<MappedBatch>]
    private let inputCount: Int
    private let unitsDone = Mutex(0)

    /// Creates the lanes.
    ///
    /// - Parameters:
    ///   - unit: What a lane takes at a time: an input, or a piece of one.
    ///   - inputCount: The number of inputs.
    ///   - batchCount: The maximum number of batches.
    ///   - plans: The plans, one per lane.
    ///   - isReadFirst: Whether the inputs are read before the writer begins; only for a single
    ///     lane.
    init(
        unit: ReadingUnit, inputCount: Int, batchCount: Int, plans: [ImportPlan], isReadFirst: Bool
    ) {
        self.isReadFirst = isReadFirst
        // A single lane reads all inputs.
        self.unit = plans.count > 1 ? unit : .inputs
        self.inputCount = inputCount
        splitting = RoundRobinGate(count: plans.count)
        counting = RoundRobinGate(count: plans.count)
        queues = plans.enumerated().map { lane, plan in
            // The end of each input also ends a batch.
            let count =
                min(Self.batchesMax, batchCount / plans.count) + (isReadFirst ? 2 * inputCount : 0)
            return BatchQueue(
                count: count, isReadFirst: isReadFirst,
                isLarge: \.isLarge
            ) {
                let batch = MappedBatch(plan)
                batch.lane = lane
                return batch
            }
        }
    }

    /// Whether the inputs are too large to be read before the writer begins.
    var haveOverflowed: Bool { queues.contains(where: \.hasOverflowed) }

    /// Returns the number of lanes, each of which has at least three batches.
    static func count(inputs: Int, batches: Int, processors: Int) -> Int {
        max(1, min(inputs, processors, batches / batchesMin))
    }

    /// Each lane's queue with the indexes of its inputs.
    var lanes: [(queue: BatchQueue<MappedBatch>, inputs: StrideTo<Int>)] {
        queues.enumerated().map { lane, queue in
            (queue, stride(from: lane, to: inputCount, by: queues.count))
        }
    }

    /// Returns the next full batch in the order of the inputs, or `nil` at the end.
    ///
    /// It waits until the batch is available.
    ///
    /// - Parameters: The same as for `BatchQueue.take`.
    /// - Throws: The errors of `BatchQueue.take`; an input's error is thrown after all inputs
    ///   before it.
    func take(
        _ interruption: Interruption, ignoringTimeLimit: Bool = false,
        pause: () throws -> Void = {}
    ) throws -> MappedBatch? {
        let done = unitsDone.withLock(\.self)
        let turn = done % queues.count
        var readers = queues
        if queues.count == 1 || unit == .pieces || done < inputCount {
            let batch = try queues[turn].take(
                interruption, ignoringTimeLimit: ignoringTimeLimit, pause: pause)
            if queues.count > 1, unit == .pieces || batch?.finishedInput != nil {
                unitsDone.withLock { $0 += 1 }
            }
            guard batch == nil, unit == .pieces else { return batch }
            readers.remove(at: turn)
        }
        // The findings of the readers are complete only when all of them have ended.
        for reader in readers {
            _ = try reader.take(interruption, ignoringTimeLimit: ignoringTimeLimit)
        }
        return nil
    }

    /// Returns a batch to its lane for reuse.
    func recycle(_ batch: MappedBatch) { queues[batch.lane].recycle(batch) }

    /// Whether the readers must stop.
    var isCancelled: Bool { queues.contains(where: \.isCancelled) }

    /// Stops all readers.
    func cancel() {
        for queue in queues { queue.cancel() }
        splitting.end()
        counting.end()
    }
}
