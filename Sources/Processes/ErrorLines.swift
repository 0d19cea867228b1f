internal import Diagnostics
internal import Dispatch
internal import Files
internal import Synchronization

/// A reader of a command's standard error, so that a full pipe never blocks the command.
final class ErrorLines: Sendable {
    /// The maximum number of lines to show; further lines are only counted.
    private static let linesMax = 200
    /// The maximum number of bytes to keep of a line.
    private static let lineBytesMax = 1_000
    /// The time in milliseconds to wait for output of the command's own child processes after its
    /// end.
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

    /// The last line read.
    var last: String { lastLine.withLock { $0 } }

    /// Reads on a separate thread, which closes the descriptor at the end.
    func start() throws(ThreadShortage) {
        try WorkerThread.start { [self] in
            read()
            FileSystem.close(descriptor)
            done.signal()
        }
        isStarted.store(true, ordering: .sequentiallyConsistent)
    }

    /// Waits until the command's lines are shown.
    func finish() {
        guard isStarted.load(ordering: .sequentiallyConsistent) else { return }
        if done.wait(timeout: .now() + .milliseconds(Self.patience)) == .timedOut {
            isOver.store(true, ordering: .sequentiallyConsistent)
            done.wait()
        }
        // Another caller may be waiting, too.
        done.signal()
    }

    private func read() {
        var part = [UInt8](repeating: 0, count: 1 << 14)
        var line: [UInt8] = []
        var count = 0
        // After a carriage return, the next byte overwrites the line, as progress displays do.
        var isReturned = false
        func end() {
            emit(line, &count)
            line.removeAll(keepingCapacity: true)
        }
        while true {
            if FileSystem.mustWait(descriptor, milliseconds: 50) {
                if isOver.load(ordering: .sequentiallyConsistent) { break }
                continue
            }
            // If the pipe cannot be read, no further lines can arrive.
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

    private func emit(_ line: [UInt8], _ count: inout Int) {
        let text = String(decoding: line, as: UTF8.self)
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        count += 1
        lastLine.withLock { $0 = text }
        if count <= Self.linesMax { show(text) }
    }
}
