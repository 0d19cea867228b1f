internal import Diagnostics
package import Files

/// A command that runs alongside this process, with a pipe from it or to it.
///
/// It ends with its owner at the latest, but not if this process is killed (`SIGKILL`). On a
/// terminal, it shares the process's group: it can ask for a password, and Ctrl-C reaches both.
/// Otherwise it leads its own group, so that the processes that it starts end with it.
package final class ChildProcess: Sendable {
    /// The use of the pipe by this process.
    package enum Direction: Sendable {
        /// This process reads the command's output.
        case reading
        /// This process writes the command's input.
        case writing
    }

    /// The way in which a command ended.
    package enum Ending: Sendable, Hashable {
        case exit(Int32)
        case signal(Int32)

        /// Whether the command succeeded.
        package var isGood: Bool { self == .exit(0) }

        /// The text that completes "the command ended …".
        package var text: String {
            switch self {
            case .exit(let code): "with exit code \(code)"
            case .signal(let number): "by signal \(number)"
            }
        }
    }

    /// A failure to start a command.
    package struct StartFailure: Error {
        /// The reason, as text.
        package let reason: String
    }

    private let life: ChildLife
    private let errors: ErrorLines
    /// The time that a command has to end after `SIGTERM`, in milliseconds.
    private static let patience = 2_000
    /// The interval at which waits check for cancellation, in milliseconds.
    private static let checkInterval = 50

    /// Starts a command.
    ///
    /// - Parameter show: receives the first 200 lines that the command writes to its standard
    ///   error, and then the number of further lines, on a separate thread.
    package init(
        _ command: Command, _ direction: Direction, show: @escaping @Sendable (String) -> Void
    ) throws(StartFailure) {
        var open: [Int32] = []
        func closeAll() { open.forEach { FileSystem.close($0) } }
        do throws(SystemFault) {
            let data = try FileSystem.makePipe()
            open +=
                direction == .reading
                ? [data.reading, data.writing] : [data.writing, data.reading]
            let told = try FileSystem.makePipe()
            open += [told.reading, told.writing]
        } catch {
            closeAll()
            throw StartFailure(reason: error.text)
        }
        life = ChildLife(open[0], isLeader: !SystemProcess.hasTerminal)
        errors = ErrorLines(open[2], show)
        life.start(command, direction, pipe: open[1], errors: open[3])
        for end in [open[1], open[3]] { FileSystem.close(end) }
        if let failure = life.failure {
            // The caller closes the other end when it releases this object.
            FileSystem.close(open[2])
            throw StartFailure(reason: failure)
        }
        if direction == .writing { FileSystem.writeWithoutWaiting(to: open[0]) }
        // Without a reading thread, the command would block when its standard error is full.
        do throws(ThreadShortage) {
            try errors.start()
        } catch {
            FileSystem.close(open[2])
            throw StartFailure(reason: error.reason)
        }
    }

    deinit {
        end()
    }

    /// The end of the pipe to read from or to write to.
    package var descriptor: Int32 { life.descriptor }

    /// The last line that the command wrote to its standard error, once it has ended.
    package var lastLine: String { errors.last }

    /// Writes to the command.
    ///
    /// - Parameter isCancelled: called while the command does not read.
    /// - Throws: `SystemFault`, with a broken pipe if the command has stopped reading.
    package func write(
        _ bytes: UnsafeRawBufferPointer, isCancelled: () -> Bool
    ) throws(SystemFault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try FileSystem.writeSome(
                rest, toPipe: descriptor, waiting: Int32(Self.checkInterval))
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if count == 0, isCancelled() { throw .isCancelled }
        }
    }

    /// Closes the pipe and waits for the command to end.
    ///
    /// Call it after all input was written, or all output was read.
    ///
    /// - Parameter isCancelled: called during the wait.
    /// - Returns: `nil` if the wait was canceled, which also ends the command.
    package func waitForEnd(isCancelled: () -> Bool) -> Ending? {
        life.closePipe()
        while true {
            if let ending = life.ending(within: Self.checkInterval) {
                errors.finish()
                return ending
            }
            guard !isCancelled() else {
                end()
                return nil
            }
        }
    }

    /// Ends the command, whatever it is doing.
    ///
    /// Kills it if it still runs 2 s after `SIGTERM`. The input of a command that reads from the
    /// pipe stays open until it has exited, so that it does not treat partial input as complete.
    package func end() {
        if life.ending(within: 0) == nil {
            life.end(atOnce: false)
            if life.isReading { life.closePipe() }
            if life.ending(within: Self.patience) == nil {
                life.end(atOnce: true)
                _ = life.ending(within: Self.patience)
            }
        }
        life.closePipe()
        errors.finish()
    }

    /// Prepares `endAll`, before a signal handler may call it.
    package static func prepareToEndAll() { ChildLife.prepare() }

    /// Kills all running commands without waiting for them; a signal handler may call it.
    package static func endAll() {
        ChildLife.endAll()
    }
}
