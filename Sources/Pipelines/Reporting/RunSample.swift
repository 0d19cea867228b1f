import Synchronization

/// Where a run was at one moment.
package struct RunSample: Decodable, Sendable, Hashable {
    /// Seconds since the attempt began.
    package var second: Double
    /// The stage that was running, such as `import tasks`.
    package var stage: String
    /// Records read or rows written by that stage so far.
    package var records: Int
    /// The memory of the process then; nil where that is not known.
    package var memory: Int?
}

/// Samples of a run, evenly spread over its time and bounded in number: when there are too many,
/// every other one goes, and the next ones come half as often.
struct RunSampler {
    static let samplesMax = 240
    private let started: ContinuousClock.Instant
    private var interval = Duration.milliseconds(50)
    private var next: ContinuousClock.Instant
    private(set) var samples: [RunSample] = []

    init(started: ContinuousClock.Instant = .now) {
        self.started = started
        next = started + interval
    }

    /// Whether it is time for another one.
    func isDue(_ now: ContinuousClock.Instant) -> Bool { now >= next }

    mutating func add(
        _ stage: String, records: Int, at now: ContinuousClock.Instant = .now,
        memory: Int? = ProcessMemory.current
    ) {
        let elapsed = (now - started).components
        let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
        samples.append(
            RunSample(
                second: seconds.inMilliseconds, stage: stage, records: records,
                memory: memory))
        if samples.count > Self.samplesMax {
            samples = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            interval *= 2
        }
        next = now + interval
    }
}
