import Diagnostics

/// The text of a progress line.
package enum ProgressLine {
    /// Returns a line such as
    /// `import tasks [#####     ] 52% 1.2 of 2.3 MB, 310 k rows/s, 3 s left`.
    ///
    /// If the terminal is narrow, it shortens the bar first. Then it omits the bytes, the bar, and
    /// the middle of the stage's name. It always shows rate and time.
    ///
    /// - Parameter columns: The width of the terminal; the line is one column shorter.
    package static func text(
        _ snapshot: RunProgress.Snapshot, seconds: Double, columns: Int
    ) -> String {
        let width = max(10, columns - 1)
        let name = OutputText(snapshot.stage).text
        for (bar, hasBytes) in [(20, true), (10, true), (10, false), (0, false)] {
            let line = name + facts(snapshot, seconds, bar: bar, hasBytes: hasBytes)
            if line.count <= width { return line }
        }
        let facts = facts(snapshot, seconds, bar: 0, hasBytes: false)
        let room = width - facts.count
        return room >= 6
            ? ReportNumbers.fit(name, room) + facts : String((name + facts).prefix(width))
    }

    /// Returns the part after the name of the stage.
    ///
    /// - Parameter width: The width of the bar; 0 for no bar.
    private static func facts(
        _ snapshot: RunProgress.Snapshot, _ seconds: Double, bar width: Int, hasBytes: Bool
    ) -> String {
        var parts: [String] = []
        let rate = seconds > 0 ? Double(snapshot.records) / seconds : 0
        var bar = ""
        if !snapshot.phase.isEmpty {
            parts.append(snapshot.phase)
        } else if snapshot.bytesTotal > 0 {
            let share = min(1, Double(snapshot.bytesRead) / Double(snapshot.bytesTotal))
            let filled = Int(share * Double(width))
            if width > 0 {
                bar =
                    " [" + String(repeating: "#", count: filled)
                    + String(repeating: " ", count: width - filled) + "]"
            }
            bar += " \(Int(share * 100))%"
            if hasBytes {
                parts.append("\(bytes(snapshot.bytesRead)) of \(bytes(snapshot.bytesTotal))")
            }
            parts.append("\(count(rate)) rows/s")
            if share > 0.01, share < 1 {
                parts.append("\(duration(seconds * (1 - share) / share)) left")
            }
        } else if snapshot.records > 0 {
            parts.append("\(count(Double(snapshot.records))) rows")
            parts.append("\(count(rate)) rows/s")
        }
        return bar + (parts.isEmpty ? "" : " " + parts.joined(separator: ", "))
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
