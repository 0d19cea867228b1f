import Synchronization

/// The ways from the inputs of an import to the thread that writes.
///
/// Inputs, or pieces of them, are dealt out to the lanes in turn, and each lane is read by a thread
/// of its own, so that several are decoded at once. What comes out is in the order of the inputs all
/// the same: a lane that is ahead waits with full batches until it is its turn.
///
/// ```
/// a.csv, c.csv -> lane 0 \                           a1, a3, b2 -> lane 0 \
///                          a a a b b c c c d                                a1 a2 a3 b1 b2
/// b.csv, d.csv -> lane 1 /                           a2, b1 -----> lane 1 /
/// ```
final class ImportLanes: Sendable {
    /// With fewer batches a lane would stand still whenever its reader or the writer does.
    private static let batchesMin = 3
    /// What waits longer is no longer in the processor's cache when its turn comes.
    private static let batchesMax = 6

    /// What the lanes take in turn.
    enum Share {
        /// Whole inputs, which are opened and inflated at once.
        case inputs
        /// Pieces of them, a batch each; inputs are read one after another.
        case pieces
    }

    let share: Share
    /// The inputs are read before the writer begins, on its thread.
    let isReadFirst: Bool
    /// The turns of cutting pieces, and those of counting what was in them.
    let cutting: Turns
    let counting: Turns
    private let queues: [BatchQueue<MappedBatch>]
    private let inputCount: Int
    private let sharesDone = Mutex(0)

    /// - Parameters:
    ///   - share: what the lanes take in turn.
    ///   - inputCount: how many inputs are to be read.
    ///   - batchCount: how many batches there are to be at most.
    ///   - plans: one for each lane.
    ///   - isReadFirst: the inputs are read before the writer begins; of one lane.
    init(
        share: Share, inputCount: Int, batchCount: Int, plans: [ImportPlan], isReadFirst: Bool
    ) {
        self.isReadFirst = isReadFirst
        // One lane has all inputs.
        self.share = plans.count > 1 ? share : .inputs
        self.inputCount = inputCount
        cutting = Turns(count: plans.count)
        counting = Turns(count: plans.count)
        queues = plans.enumerated().map { lane, plan in
            // Each input ends its batch.
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

    /// Whether the inputs are more than is to be read before the writer begins.
    var haveOverflowed: Bool { queues.contains(where: \.hasOverflowed) }

    /// How many lanes there are to be, of which each has at least three batches.
    static func count(inputs: Int, batches: Int, processors: Int) -> Int {
        max(1, min(inputs, processors, batches / batchesMin))
    }

    /// Each lane's queue with the places of its inputs.
    var lanes: [(queue: BatchQueue<MappedBatch>, inputs: StrideTo<Int>)] {
        queues.enumerated().map { lane, queue in
            (queue, stride(from: lane, to: inputCount, by: queues.count))
        }
    }

    /// The next full batch in the order of the inputs, once there is one; nil at the end.
    ///
    /// - Parameters: as those of `BatchQueue.take`.
    /// - Throws: as `BatchQueue.take`; what went wrong at an input comes behind all inputs before.
    func take(
        _ interruption: Interruption, ignoringTimeLimit: Bool = false,
        pause: () throws -> Void = {}
    ) throws -> MappedBatch? {
        let done = sharesDone.withLock(\.self)
        let turn = done % queues.count
        var readers = queues
        if queues.count == 1 || share == .pieces || done < inputCount {
            let batch = try queues[turn].take(
                interruption, ignoringTimeLimit: ignoringTimeLimit, pause: pause)
            if queues.count > 1, share == .pieces || batch?.finishedInput != nil {
                sharesDone.withLock { $0 += 1 }
            }
            guard batch == nil, share == .pieces else { return batch }
            readers.remove(at: turn)
        }
        // What the readers have found out is known when each of them has ended.
        for reader in readers {
            _ = try reader.take(interruption, ignoringTimeLimit: ignoringTimeLimit)
        }
        return nil
    }

    /// Gives a batch back to be filled again.
    func recycle(_ batch: MappedBatch) { queues[batch.lane].recycle(batch) }

    /// Whether the readers are to stop.
    var isCancelled: Bool { queues.contains(where: \.isCancelled) }

    /// Tells all readers to stop.
    func cancel() {
        for queue in queues { queue.cancel() }
        cutting.end()
        counting.end()
    }
}
