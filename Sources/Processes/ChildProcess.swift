internal import Diagnostics
package import Files

/// A command that runs beside this process, with a pipe from it or to it.
///
/// It ends with its owner at the latest, but not if this process is killed (SIGKILL). At a terminal it shares the process's group: it may ask
/// for a password there, and Ctrl-C reaches both. Elsewhere it leads a group of its own, so that
/// what it starts ends with it.
package final class ChildProcess: Sendable {
    /// What this process does with the pipe.
    package enum Direction: Sendable {
        /// It reads what the command writes.
        case reading
        /// It writes what the command reads.
        case writing
    }

    /// How a command ended.
    package enum Ending: Sendable, Hashable {
        case exit(Int32)
        case signal(Int32)

        /// It did what it should.
        package var isGood: Bool { self == .exit(0) }

        /// As in "the command ended …".
        package var text: String {
            switch self {
            case .exit(let code): "with exit code \(code)"
            case .signal(let number): "by signal \(number)"
            }
        }
    }

    /// A command could not be started.
    package struct StartFailure: Error {
        /// Why, in words.
        package let reason: String
    }

    private let life: ChildLife
    private let errors: ErrorLines
    /// How long a command may take to end once it is asked to, in milliseconds.
    private static let patience = 2_000
    /// How often somebody who waits looks around, in milliseconds.
    private static let turn = 50

    /// Starts a command.
    ///
    /// - Parameter show: is given each line that the command writes to its standard error, but for
    ///   very many; on a thread of its own.
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
            // The other end is closed by whoever gives this up.
            FileSystem.close(open[2])
            throw StartFailure(reason: failure)
        }
        if direction == .writing { FileSystem.writeWithoutWaiting(to: open[0]) }
        // Without a thread nobody reads what the command tells, and it might wait for that.
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
    /// - Parameter isCancelled: asked while the command does not read.
    /// - Throws: `SystemFault`, of a broken pipe where the command reads no more.
    package func write(
        _ bytes: UnsafeRawBufferPointer, isCancelled: () -> Bool
    ) throws(SystemFault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try FileSystem.writeSome(
                rest, toPipe: descriptor, waiting: Int32(Self.turn))
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if count == 0, isCancelled() { throw .isCancelled }
        }
    }

    /// Waits for the end of a command that has all that it gets, or has given all that it had.
    ///
    /// - Parameter isCancelled: asked meanwhile.
    /// - Returns: nil where the wait was given up; the command is ended then.
    package func waitForEnd(isCancelled: () -> Bool) -> Ending? {
        life.closePipe()
        while true {
            if let ending = life.ending(within: Self.turn) {
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
    /// One that is written to sees the end of its input only when it is gone, so that it takes no
    /// half for a whole.
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

    /// Makes what `endAll` needs, before a signal's handler may call it.
    package static func prepareToEndAll() { ChildLife.prepare() }

    /// Ends all commands that still run, without waiting for them; a signal's handler may call it.
    package static func endAll() {
        ChildLife.endAll()
    }
}
