internal import Diagnostics
internal import Dispatch
internal import Files
internal import Synchronization

/// Reads the lines that a command writes to its standard error, so that it never waits for that.
final class ErrorLines: Sendable {
    /// More lines are counted and not shown.
    private static let linesMax = 200
    /// What of a line is kept.
    private static let lineBytesMax = 1_000
    /// How long what a command has started may go on writing after its end, in milliseconds.
    private static let patience = 500

    private let descriptor: Int32
    private let show: @Sendable (String) -> Void
    private let lastLine = Mutex("")
    private let isStarted = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let done = DispatchSemaphore(value: 0)

    init(_ descriptor: Int32, _ show: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.show = show
    }

    /// The last line so far.
    var last: String { lastLine.withLock { $0 } }

    /// Reads on a thread of its own, which closes the descriptor when it is done.
    func start() throws(ThreadShortage) {
        try WorkerThread.start { [self] in
            read()
            FileSystem.close(descriptor)
            done.signal()
        }
        isStarted.store(true, ordering: .sequentiallyConsistent)
    }

    /// Waits until what the command has written is shown.
    func finish() {
        guard isStarted.load(ordering: .sequentiallyConsistent) else { return }
        if done.wait(timeout: .now() + .milliseconds(Self.patience)) == .timedOut {
            isOver.store(true, ordering: .sequentiallyConsistent)
            done.wait()
        }
        // For whoever asks again.
        done.signal()
    }

    private func read() {
        var part = [UInt8](repeating: 0, count: 1 << 14)
        var line: [UInt8] = []
        var count = 0
        // A line that is written over from its beginning, as progress is.
        var isReturned = false
        func end() {
            tell(line, &count)
            line.removeAll(keepingCapacity: true)
        }
        while true {
            if FileSystem.mustWait(descriptor, milliseconds: 50) {
                if isOver.load(ordering: .sequentiallyConsistent) { break }
                continue
            }
            guard let length = try? FileSystem.read(descriptor, into: &part), length > 0 else {
                break
            }
            for byte in part[..<length] {
                switch byte {
                case 10: end()
                case 13: break
                default:
                    if isReturned { line.removeAll(keepingCapacity: true) }
                    if line.count < Self.lineBytesMax { line.append(byte) }
                }
                isReturned = byte == 13
            }
        }
        end()
        if count > Self.linesMax { show("… and \(count - Self.linesMax) more lines") }
    }

    private func tell(_ line: [UInt8], _ count: inout Int) {
        let text = String(decoding: line, as: UTF8.self)
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        count += 1
        lastLine.withLock { $0 = text }
        if count <= Self.linesMax { show(text) }
    }
}
