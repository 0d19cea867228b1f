import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The memory use of this process.
enum ProcessMemory {
    /// The peak memory so far, in bytes.
    ///
    /// It reads `VmHWM`, see proc(5). On Linux, getrusage(2) may include the peak of the calling
    /// process from before exec.
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

    /// The peak according to getrusage(2).
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

    /// The current memory use in bytes; `nil` if the system does not report it.
    ///
    /// It reads `statm`, see proc(5).
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
