import Diagnostics

/// Formats numbers of a report for people.
enum ReportNumbers {
    static func bytes(_ count: Int) -> String {
        let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
        guard let unit = units.first(where: { Double(count) >= $0.1 }) else {
            return "\(count.grouped) B"
        }
        return "\(short(Double(count) / unit.1)) \(unit.0)"
    }

    static func memory(_ count: Int) -> String {
        let mebibytes = Double(count) / 1_048_576
        return mebibytes < 1024
            ? "\(short(mebibytes)) MiB" : "\(short(mebibytes / 1024)) GiB"
    }

    /// Returns a rate such as `310 k` or `1.2 M`.
    static func rate(_ value: Double) -> String {
        switch value {
        case ..<1000: short(value)
        case ..<1_000_000: "\(short(value / 1000)) k"
        default: "\(short(value / 1_000_000)) M"
        }
    }

    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.9995: return "\(Int((seconds * 1000).rounded())) ms"
        case ..<99.95: return "\(short(seconds)) s"
        default: return ProgressLine.duration(seconds)
        }
    }

    /// Returns the time of a stage for its deferred indexes and links, in words.
    static func indexTime(_ seconds: Double) -> String {
        "indexes and links \(duration(seconds))"
    }

    /// Returns the number with at most one decimal place; from 100 on, as an integer.
    private static func short(_ value: Double) -> String {
        if value >= 99.95 { return Int(value.rounded()).grouped }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Returns a time such as `2026-11-21 03:00:00 UTC`.
    static func time(_ iso: String) -> String {
        guard iso.utf8.count >= 19 else { return iso }
        return iso.prefix(10) + " " + iso.dropFirst(11).prefix(8) + " UTC"
    }

    /// Returns the text, with its middle replaced by `…` if it is longer than `length`.
    static func fit(_ text: String, _ length: Int) -> String {
        guard text.count > length else { return text }
        let end = (length - 1) / 2
        return text.prefix(length - 1 - end) + "…" + text.suffix(end)
    }

    /// Returns a count with its noun, such as `1 file` or `2 files`.
    static func several(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count.grouped) \(count == 1 ? one : many ?? one + "s")"
    }
}
