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
        case .ok: "Every record was counted, and no more records were rejected than allowed."
        case .check: "The result of a check is negative, for example if two models differ."
        case .usage: "A flag or an argument is not valid."
        case .dataError:
            "Too many rejects, a truncated or corrupt input, or a failed check such as `at-most`."
        case .noInput: "An input or the store is missing."
        case .software: "etl has a bug; please report it."
        case .osError: "The system is out of file descriptors, threads, or memory."
        case .cannotCreate: "An output, a reject file, or a report cannot be created."
        case .ioError: "The disk is full, reading or writing failed, or the store is damaged."
        case .temporaryFailure: "The store is in use, or the time limit was reached; run again."
        case .noPermission: "Permission denied."
        case .configuration: "The spec, its parameters, or the model is not valid."
        case .hungUp: "Stopped by SIGHUP after a complete batch; run again to resume."
        case .interrupted: "Stopped by SIGINT after a complete batch; run again to resume."
        case .terminated: "Stopped by SIGTERM after a complete batch; run again to resume."
        }
    }
}
