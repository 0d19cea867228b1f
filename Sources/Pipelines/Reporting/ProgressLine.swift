import Diagnostics

/// The text of a progress line.
package enum ProgressLine {
    /// A line such as `import tasks [#####     ] 52% 1.2 of 2.3 MB, 310 k rows/s, 3 s left`.
    ///
    /// - Parameter columns: the width of the terminal; the line is one column shorter.
    package static func text(
        _ snapshot: RunProgress.Snapshot, seconds: Double, columns: Int
    ) -> String {
        var parts: [String] = []
        let rate = seconds > 0 ? Double(snapshot.records) / seconds : 0
        var bar = ""
        if !snapshot.phase.isEmpty {
            parts.append(snapshot.phase)
        } else if snapshot.bytesTotal > 0 {
            let share = min(1, Double(snapshot.bytesRead) / Double(snapshot.bytesTotal))
            let filled = Int(share * 20)
            bar =
                " [" + String(repeating: "#", count: filled)
                + String(repeating: " ", count: 20 - filled) + "] \(Int(share * 100))%"
            parts.append("\(bytes(snapshot.bytesRead)) of \(bytes(snapshot.bytesTotal))")
            parts.append("\(count(rate)) rows/s")
            if share > 0.01, share < 1 {
                parts.append("\(duration(seconds * (1 - share) / share)) left")
            }
        } else if snapshot.records > 0 {
            parts.append("\(count(Double(snapshot.records))) rows")
            parts.append("\(count(rate)) rows/s")
        }
        let line = snapshot.stage + bar + (parts.isEmpty ? "" : " " + parts.joined(separator: ", "))
        return String(OutputText(line).text.prefix(max(10, columns - 1)))
    }

    static func count(_ value: Double) -> String {
        switch value {
        case ..<10_000: String(Int(value))
        case ..<10_000_000: "\(Int(value / 1000)) k"
        default: "\(Int(value / 1_000_000)) M"
        }
    }

    static func bytes(_ count: Int) -> String {
        switch count {
        case ..<10_000: "\(count) B"
        case ..<10_000_000: "\(count / 1000) kB"
        default: "\(count / 1_000_000) MB"
        }
    }

    static func duration(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        if whole < 100 { return "\(whole) s" }
        if whole < 6000 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole / 60 % 60) min"
    }
}
