internal import Diagnostics
internal import Dispatch
internal import Files
internal import Subprocess
internal import Synchronization

#if canImport(System)
    internal import System
#else
    internal import SystemPackage
#endif

/// A command from its start to its end, which is known when the system has forgotten it.
final class ChildLife: Sendable {
    private struct State {
        /// 0 while there is none.
        var process: Int32 = 0
        var ending: ChildProcess.Ending?
        var failure: String?
        var descriptor: Int32
        var isReading = true
        var place: Int?
    }

    /// A process that runs, or minus the group that it leads; 0 where there is none.
    private final class Place: Sendable {
        let process = Atomic<Int32>(0)
    }

    /// The commands that are ended with this process, as far as there is room.
    private static let places = (0..<64).map { _ in Place() }

    private let state: Mutex<State>
    private let started = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isLeader: Bool

    /// - Parameters:
    ///   - descriptor: this process's end of the pipe.
    ///   - isLeader: the command gets a group of its own.
    init(_ descriptor: Int32, isLeader: Bool) {
        state = Mutex(State(descriptor: descriptor))
        self.isLeader = isLeader
    }

    /// This process's end of the pipe; -1 once it is closed.
    var descriptor: Int32 { state.withLock(\.descriptor) }

    /// Whether this process reads what the command writes.
    var isReading: Bool { state.withLock(\.isReading) }

    /// Why the command could not be started.
    var failure: String? { state.withLock(\.failure) }

    /// Starts the command and waits until it runs, or `failure` says why it does not.
    func start(
        _ command: Command, _ direction: ChildProcess.Direction, pipe: Int32, errors: Int32
    ) {
        state.withLock { $0.isReading = direction == .reading }
        let executor = ChildExecutor.shared
        do throws(ThreadShortage) {
            try executor.prepare()
        } catch {
            return fail(error.reason)
        }
        let configuration = configuration(of: command)
        Task.detached(executorPreference: executor) { [self] in
            await run(
                configuration, direction, FileDescriptor(rawValue: pipe),
                FileDescriptor(rawValue: errors))
        }
        started.wait()
    }

    private func configuration(of command: Command) -> Configuration {
        var options = PlatformOptions()
        if isLeader { options.processGroupID = 0 }
        let program = command.words.first ?? ""
        var variables: [Environment.Key: String?] = [:]
        for (name, value) in command.variables {
            variables[Environment.Key(stringLiteral: name)] = value
        }
        return Configuration(
            executable: program.utf8.contains(UInt8(ascii: "/"))
                ? .path(FilePath(PathText.join(command.folder, program))) : .name(program),
            arguments: Arguments(Array(command.words.dropFirst())),
            environment: .inherit.updating(variables),
            workingDirectory: FilePath(command.folder), platformOptions: options)
    }

    private func run(
        _ configuration: Configuration, _ direction: ChildProcess.Direction, _ pipe: FileDescriptor,
        _ errors: FileDescriptor
    ) async {
        do {
            let status: TerminationStatus =
                switch direction {
                case .reading:
                    try await Subprocess.run(
                        configuration, input: .none,
                        output: .fileDescriptor(pipe, closeAfterSpawningProcess: false),
                        error: .fileDescriptor(errors, closeAfterSpawningProcess: false)
                    ) { begin($0.processIdentifier.value) }.terminationStatus
                case .writing:
                    try await Subprocess.run(
                        configuration,
                        input: .fileDescriptor(pipe, closeAfterSpawningProcess: false),
                        // Our own output is for data alone.
                        output: .fileDescriptor(errors, closeAfterSpawningProcess: false),
                        error: .fileDescriptor(errors, closeAfterSpawningProcess: false)
                    ) { begin($0.processIdentifier.value) }.terminationStatus
                }
            switch status {
            case .exited(let code): finish(.exit(code))
            case .signaled(let number): finish(.signal(number))
            }
        } catch {
            guard state.withLock({ $0.process == 0 }) else {
                // How it ended cannot be known, so that it did not end well.
                return finish(.exit(-1))
            }
            fail(Self.reason(error))
            started.signal()
        }
    }

    /// Notes that the command has never run.
    private func fail(_ reason: String) {
        state.withLock { $0.failure = reason }
        finish(.exit(-1))
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? SubprocessError else { return "\(error)" }
        if error.code == .executableNotFound { return "there is no such program that may be run" }
        if error.code == .failedToChangeWorkingDirectory { return "its folder cannot be entered" }
        return error.underlyingError.map { "\($0)" } ?? error.description
    }

    private func begin(_ process: Int32) {
        state.withLock { state in
            state.process = process
            for (number, place) in Self.places.enumerated() {
                let (isMine, _) = place.process.compareExchange(
                    expected: 0, desired: isLeader ? -process : process,
                    ordering: .sequentiallyConsistent)
                guard isMine else { continue }
                state.place = number
                break
            }
        }
        started.signal()
    }

    private func finish(_ ending: ChildProcess.Ending) {
        state.withLock { state in
            state.ending = ending
            if let place = state.place {
                Self.places[place].process.store(0, ordering: .sequentiallyConsistent)
            }
        }
        ended.signal()
    }

    /// How the command ended; nil where it has not.
    ///
    /// - Parameter milliseconds: how long to wait for that.
    func ending(within milliseconds: Int) -> ChildProcess.Ending? {
        if let ending = state.withLock(\.ending) { return ending }
        guard ended.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
            return nil
        }
        // For whoever else waits.
        ended.signal()
        return state.withLock(\.ending)
    }

    /// Asks the command to end, or ends it.
    func end(atOnce: Bool) {
        state.withLock { state in
            guard state.ending == nil else { return }
            SystemProcess.end(state.process, group: isLeader, atOnce: atOnce)
        }
    }

    /// Closes this process's end of the pipe, if it is open.
    func closePipe() {
        let descriptor = state.withLock { state in
            defer { state.descriptor = -1 }
            return state.descriptor
        }
        if descriptor >= 0 { FileSystem.close(descriptor) }
    }

    /// Makes the places, which a signal's handler must not do.
    static func prepare() { _ = places }

    /// Ends all commands that still run; takes no lock and no memory once the places are made.
    static func endAll() {
        for place in places {
            let process = place.process.load(ordering: .sequentiallyConsistent)
            guard process != 0 else { continue }
            SystemProcess.end(abs(process), group: process < 0, atOnce: true)
        }
    }
}

/// Runs what waits for commands on a thread of its own: those of the language's pool may all be
/// waiting for just these commands.
private final class ChildExecutor: TaskExecutor {
    static let shared = ChildExecutor()

    private let worker = WorkerThread()

    /// Makes sure that there is a thread.
    func prepare() throws(ThreadShortage) {
        try worker.run {}
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // There is a thread already.
        try? worker.run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
