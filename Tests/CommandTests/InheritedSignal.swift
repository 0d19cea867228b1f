/// How whoever starts a command has left a signal, which the command inherits.
enum InheritedSignal {
    /// As a shell leaves it to what it runs in the foreground.
    case byDefault
    /// As a script leaves SIGINT to its background jobs, and `nohup` SIGHUP.
    case ignored
    case blocked

    /// What is written before a command in a shell script, so that it inherits signals so, whatever
    /// the tests inherited themselves.
    ///
    /// - Parameter names: such as `INT`.
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
