import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How much memory this process has.
enum ProcessMemory {
    /// The most that it had so far, in bytes.
    ///
    /// See proc(5), `VmHWM`: what getrusage(2) tells on Linux may be what the caller had before
    /// it became this program.
    static var peak: Int? {
        #if os(Linux)
            guard let text = FileDescriptor.head(ofFile: "/proc/self/status") else { return nil }
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst()
                .first
            return kibibytes.flatMap { Int($0) }.map { $0 << 10 }
        #else
            return ofUsage
        #endif
    }

    /// See getrusage(2).
    private static var ofUsage: Int? {
        var usage = rusage()
        #if canImport(Glibc)
            let own = Int32(RUSAGE_SELF.rawValue)
        #else
            let own = RUSAGE_SELF
        #endif
        guard getrusage(own, &usage) == 0 else { return nil }
        #if canImport(Darwin)
            return usage.ru_maxrss
        #else
            return usage.ru_maxrss * 1024
        #endif
    }

    /// What it has now, in bytes; nil where the system does not tell.
    ///
    /// See proc(5), `statm`.
    static var current: Int? {
        #if os(Linux)
            guard let text = FileDescriptor.head(ofFile: "/proc/self/statm") else { return nil }
            let numbers = text.split(separator: " ").prefix(2).compactMap { Int($0) }
            return numbers.count == 2 ? numbers[1] * sysconf(Int32(_SC_PAGESIZE)) : nil
        #else
            return nil
        #endif
    }
}
