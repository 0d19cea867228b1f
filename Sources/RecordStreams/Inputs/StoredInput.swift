internal import Diagnostics
internal import Dispatch
internal import Files
internal import Processes

/// The stored bytes of a file or of standard input, read through a buffer.
final class StoredInput {
    /// The path as messages show it.
    let path: String
    /// The bytes read from the system so far.
    private var byteCount = 0
    private var position = 0
    private var end = 0
    private var isAtEnd = false
    private let descriptor: Int32
    /// The command whose output is read.
    private let child: ChildProcess?
    /// Whether the input is a regular file, so that reading never waits for another process.
    let isRegular: Bool
    /// Called while no process writes into a pipe; if `nil`, the system waits.
    private let isCancelled: (@Sendable () -> Bool)?
    /// The time to wait for a writer in milliseconds, before `isCancelled` is called or the
    /// available bytes are returned.
    private static let patience: Int32 = 50
    private static let standardInput: Int32 = 0
    private var generated: GeneratedRows?
    private let buffer: UnsafeMutablePointer<UInt8>
    static let capacity = 256 * 1024

    init(
        _ file: InputFile, isCancelled: (@Sendable () -> Bool)? = nil,
        showCommandLine: (@Sendable (String) -> Void)? = nil
    ) throws(RecordStreamError) {
        path = file.path.displayText
        child = try file.command.map { command throws(RecordStreamError) in
            try ChildProcess(
                command, .reading, at: file.path, show: showCommandLine ?? { _ in })
        }
        self.isCancelled = isCancelled
        generated = file.generatedRows.map { GeneratedRows($0) }
        if let child {
            descriptor = child.descriptor
        } else if generated != nil {
            descriptor = -1
        } else if file.isStandardInput {
            descriptor = Self.standardInput
        } else {
            do throws(SystemFault) {
                descriptor =
                    file.isStream && isCancelled != nil
                    ? try Self.openStream(file.path)
                    : try FileSystem.open(file.path, .reading)
            } catch {
                throw RecordStreamError(inputFailure: error, path: file.path)
            }
        }
        // If the kind is unknown, the file is read like a stream, which works for all kinds.
        isRegular = descriptor < 0 || (try? FileStatus(of: descriptor))?.kind == .file
        buffer = .allocate(capacity: Self.capacity)
    }

    /// Creates an input without a file that holds the bytes moved into it.
    init(movedFrom path: String) {
        self.path = path
        descriptor = -1
        child = nil
        isRegular = true
        isAtEnd = true
        isCancelled = nil
        buffer = .allocate(capacity: Self.capacity)
    }

    /// Opens a pipe or another special file without waiting until a process writes to it.
    ///
    /// `mustWait(isPatient:)` returns whether bytes are available. Only Linux distinguishes a pipe
    /// that no process has opened for writing from one that all writers have closed. Other systems
    /// therefore wait for a writer here.
    private static func openStream(_ path: FileName) throws(SystemFault) -> Int32 {
        #if os(Linux)
            try FileSystem.open(path, [.reading, .withoutWaiting])
        #else
            try FileSystem.open(path, .reading)
        #endif
    }

    deinit {
        buffer.deallocate()
        if child == nil, descriptor >= 0, descriptor != Self.standardInput {
            FileSystem.close(descriptor)
        }
    }

    /// The number of stored bytes that were used so far.
    var bytesConsumed: Int { byteCount - available.count }

    /// The bytes in the buffer.
    var available: UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(start: buffer + position, count: end - position)
    }

    /// Returns whether no bytes are available now but more may come; always `false` for a file.
    ///
    /// - Parameter isPatient: whether to wait up to 50 ms for them.
    func mustWait(isPatient: Bool = false) -> Bool {
        !isRegular && position == end && !isAtEnd
            && FileSystem.mustWait(descriptor, milliseconds: isPatient ? Self.patience : 0)
    }

    /// Drops bytes from the front of the buffer.
    func consume(_ count: Int) {
        position += count
    }

    /// Moves bytes from the front of another buffer; the bytes moved before must be used up.
    func move(_ count: Int, from other: StoredInput, isFirst: Bool) {
        if isFirst { (position, end) = (0, 0) }
        guard let start = other.available.baseAddress else { return }
        (buffer + end).update(from: start, count: count)
        other.consume(count)
        end += count
        byteCount += count
    }

    /// Reads until `wanted` bytes are in the buffer, or up to the end.
    func fill(_ wanted: Int) throws(RecordStreamError) {
        while end - position < wanted, !isAtEnd {
            if position > 0 {
                buffer.update(from: buffer + position, count: end - position)
                end -= position
                position = 0
            }
            end += try read(into: buffer + end, count: Self.capacity - end)
        }
    }

    /// Returns the next byte, or `nil` at the end.
    func nextByte() throws(RecordStreamError) -> UInt8? {
        if position == end { try fill(1) }
        guard position < end else { return nil }
        position += 1
        return buffer[position - 1]
    }

    /// Reads to an address, starting with the buffer; returns 0 at the end.
    func copy(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        guard position == end else {
            let length = min(count, end - position)
            target.update(from: buffer + position, count: length)
            position += length
            return length
        }
        // Rows are generated one buffer at a time, whatever the capacity of the caller.
        guard generated == nil else {
            try fill(1)
            return position == end ? 0 : try copy(into: target, count: count)
        }
        return isAtEnd ? 0 : try read(into: target, count: count)
    }

    private func read(
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) throws(RecordStreamError) -> Int {
        if let length = generated?.read(into: target, count: count) {
            isAtEnd = length == 0
            byteCount += length
            return length
        }
        do throws(SystemFault) {
            try waitForWriter()
            let length = try FileSystem.read(
                descriptor, into: UnsafeMutableRawBufferPointer(start: target, count: count))
            isAtEnd = length == 0
            byteCount += length
            if length > 0 || child == nil { return length }
        } catch {
            throw RecordStreamError(inputFailure: error, at: RecordLocation(source: path))
        }
        try endCommand()
        return 0
    }

    /// Checks that the command has succeeded, so that its output is complete.
    private func endCommand() throws(RecordStreamError) {
        let location = RecordLocation(source: path)
        guard let child else { return }
        guard
            let ending = child.waitForEnd(isCancelled: { [isCancelled] in isCancelled?() ?? false })
        else { throw RecordStreamError(inputFailure: .isCancelled, at: location) }
        guard !ending.isGood else { return }
        guard !isStopped(after: ending) else {
            throw RecordStreamError(inputFailure: .isCancelled, at: location)
        }
        throw RecordStreamError(
            .commandFailed(ending: ending.text, lastLine: child.lastLine, isOutput: false),
            at: location)
    }

    /// Returns whether the run was canceled together with the command: Ctrl-C reaches both, in any
    /// order.
    private func isStopped(after ending: ChildProcess.Ending) -> Bool {
        guard let isCancelled else { return false }
        let isBySignal = if case .signal = ending { true } else { false }
        for _ in 0..<(isBySignal ? 20 : 0) where !isCancelled() {
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(10))
        }
        return isCancelled()
    }

    /// Waits until there is something to be read of a stream, or its end.
    private func waitForWriter() throws(SystemFault) {
        guard !isRegular, let isCancelled else { return }
        while FileSystem.mustWait(descriptor, milliseconds: Self.patience) {
            if isCancelled() { throw .isCancelled }
        }
    }
}

extension ChildProcess {
    /// Starts a command of a spec.
    ///
    /// - Parameter path: the name of the command in messages.
    convenience init(
        _ command: Command, _ direction: Direction, at path: FileName,
        show: @escaping @Sendable (String) -> Void
    ) throws(RecordStreamError) {
        do throws(StartFailure) {
            try self.init(command, direction, show: show)
        } catch {
            throw RecordStreamError(.commandNotStarted(reason: error.reason), in: path)
        }
    }
}
