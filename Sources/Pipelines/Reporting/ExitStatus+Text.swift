extension ExitStatus {
    /// The name of the status, from sysexits.h if it has one.
    package var name: String {
        switch self {
        case .ok: "OK"
        case .check: "CHECK"
        case .usage: "USAGE"
        case .dataError: "DATAERR"
        case .noInput: "NOINPUT"
        case .software: "SOFTWARE"
        case .osError: "OSERR"
        case .cannotCreate: "CANTCREAT"
        case .ioError: "IOERR"
        case .temporaryFailure: "TEMPFAIL"
        case .noPermission: "NOPERM"
        case .configuration: "CONFIG"
        case .hungUp: "SIGHUP"
        case .interrupted: "SIGINT"
        case .terminated: "SIGTERM"
        }
    }

    /// The meaning of the status, in one sentence.
    package var meaning: String {
        switch self {
        case .ok: "Every record is accounted for, with no more rejects than allowed."
        case .check: "The answer is no."
        case .usage: "A flag or an argument is wrong."
        case .dataError:
            "Too many rejects, input that is truncated or corrupt, or a guard that held."
        case .noInput: "An input or the store is missing."
        case .software: "A mistake in etl itself: please report it."
        case .osError: "Out of descriptors, threads or memory."
        case .cannotCreate: "An output, a reject file, or a report cannot be created."
        case .ioError: "The disk is full, reading or writing failed, or the store is damaged."
        case .temporaryFailure: "The store is in use, or the time is up: run again."
        case .noPermission: "Permission denied."
        case .configuration: "The spec, its parameters or the model are wrong."
        case .hungUp: "Stopped by SIGHUP after a whole batch; run again to complete."
        case .interrupted: "Stopped by SIGINT after a whole batch; run again to complete."
        case .terminated: "Stopped by SIGTERM after a whole batch; run again to complete."
        }
    }
}
