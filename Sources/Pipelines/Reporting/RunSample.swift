import Synchronization

/// The progress of a run at one moment.
package struct RunSample: Decodable, Sendable, Hashable {
    /// The time since the start of the attempt, in seconds.
    package var second: Double
    /// The stage that was running, such as `import tasks`.
    package var stage: String
    /// The number of records that the stage has read, or of rows that it has written, so far.
    package var records: Int
    /// The memory of the process at that time, in bytes; `nil` if unknown.
    package var memory: Int?
}

/// Takes samples of a run, evenly spread over its time and limited in number.
///
/// If there are too many samples, it drops every other one and doubles the interval.
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

    /// Returns whether the next sample is due.
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
