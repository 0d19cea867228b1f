/// The disposition of a signal that a command inherits from its parent process.
enum InheritedSignal {
    /// As a shell sets it for foreground commands.
    case byDefault
    /// As a script sets SIGINT for its background jobs, and `nohup` sets SIGHUP.
    case ignored
    case blocked

    /// Returns the prefix of a command in a shell script that makes the command inherit the
    /// signals.
    ///
    /// The signals that the tests themselves inherited have no effect.
    ///
    /// - Parameter names: The signal names, such as `INT`.
    func starter(_ names: String...) -> String {
        let calls = names.map { name in
            switch self {
            case .byDefault: "signal.signal(signal.SIG\(name), signal.SIG_DFL)"
            case .ignored: "signal.signal(signal.SIG\(name), signal.SIG_IGN)"
            case .blocked: "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIG\(name)])"
            }
        }
        return "python3 -c 'import os, signal, sys; \(calls.joined(separator: "; ")); "
            + "os.execvp(sys.argv[1], sys.argv[1:])'"
    }
}
