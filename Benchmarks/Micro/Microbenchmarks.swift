#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Measures parts of a record's path through an import, each in a separate process.
///
/// ```
/// microbenchmarks streams FOLDER             inflate and decode the generator's files
/// microbenchmarks keep-if FILE [PREDICATE]   what filters add to decoding
/// microbenchmarks query STORE PREDICATE [count]
/// microbenchmarks objects FOLDER             the cost of the object path and of the bulk path
/// microbenchmarks patterns FOLDER COUNT       find-or-create, upserts, and to-manys one by one
/// microbenchmarks records FOLDER SPECS       time and allocations of each step of an import
/// ```
@main enum Microbenchmarks {
    private static let usage =
        "usage: microbenchmarks streams FOLDER | keep-if FILE [PREDICATE]"
        + " | query STORE PREDICATE [count] | objects FOLDER | patterns FOLDER COUNT"
        + " | records FOLDER SPECS\n"

    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("streams", 2): try Streams.measure(folder: words[1])
        case ("keep-if", 2): try KeepIf.measure(file: words[1])
        case ("keep-if", 3): try KeepIf.measure(file: words[1], [words[2]], rounds: 1)
        case ("query", 3): try Query.rows(store: words[1], words[2])
        case ("query", 4) where words[3] == "count": try Query.count(store: words[1], words[2])
        case ("objects", 2): try Objects.measure(folder: words[1])
        case ("patterns", 3):
            try ObjectPatterns.measure(folder: words[1], count: Int(words[2]) ?? 10_000)
        case ("records", 3): try RecordSteps.measure(folder: words[1], specs: words[2])
        default:
            _ = usage.withCString { write(2, $0, strlen($0)) }
            exit(64)
        }
    }
}

/// The process's CPU time, in seconds.
func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The minimum and the median of several measurements.
struct Spread {
    let least: Double
    let middle: Double

    init(_ figures: [Double]) {
        let sorted = figures.sorted()
        least = sorted.first ?? 0
        middle = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}

extension Double {
    func text(places: Int) -> String {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return "\((self * scale).rounded() / scale)"
    }
}
