/// A chart of a quantity over the time of a run.
///
/// Its curve stretches to any width; its labels do not.
struct TimeChart {
    /// A time span with one value.
    struct Step {
        var from: Double
        var to: Double
        var value: Double
    }

    /// The time span of a stage.
    struct Band {
        var name: String
        var from: Double
        var to: Double
    }

    private static let width = 1000.0
    private static let height = 240.0

    let title: String
    let steps: [Step]
    let bands: [Band]
    let style: String
    let words: (Double) -> String

    private var end: Double { max(steps.last?.to ?? 0, bands.last?.to ?? 0) }

    var markup: Markup {
        let top = Self.roundUp(steps.map(\.value).max() ?? 0)
        guard end > 0, top > 0 else { return .empty }
        let lines = [0.25, 0.5, 0.75].map { share -> Markup in
            let y = Self.height * share
            return "<path class=\"grid\" d=\"M0 \(y)H\(Self.width)\"/>"
        }
        let areas = bands.enumerated().map { place, band -> Markup in
            """
            <rect class="band\(place % 2)" x="\(x(band.from))" y="0" \
            width="\(x(band.to) - x(band.from))" height="\(Self.height)">\
            <title>\(band.name)</title></rect>
            """
        }
        let labels = [1, 0.5].map { share -> Markup in
            "<span style=\"top:\((1 - share) * 100)%\">\(words(top * share))</span>"
        }
        let times = [0, 0.25, 0.5, 0.75, 1].map { share -> Markup in
            "<span>\(share == 0 ? "0" : ReportNumbers.duration(end * share))</span>"
        }
        return """
            <figure class="chart"><figcaption>\(title)</figcaption>
            <div class="plot"><div class="values">\(labels)</div>
            <svg viewBox="0 0 \(Self.width) \(Self.height)" preserveAspectRatio="none" \
            role="img" aria-label="\(title)">\(areas)\(lines)
            <path class="area \(style)" d="\(curve(top, isClosed: true))"/>
            <path class="curve \(style)" d="\(curve(top, isClosed: false))"/></svg>
            <div class="names">\(names)</div>
            <div class="times">\(times)</div></div></figure>
            """
    }

    /// The names of the stages whose bands are wide enough for a label.
    private var names: [Markup] {
        bands.filter { ($0.to - $0.from) / end > 0.12 }.map { band -> Markup in
            """
            <span style="left:\(band.from / end * 100)%;width:\((band.to - band.from) / end * 100)%">\
            \(band.name)</span>
            """
        }
    }

    private func x(_ second: Double) -> Double { second / end * Self.width }

    private func curve(_ top: Double, isClosed: Bool) -> Markup {
        var path: Markup = ""
        var last: Double?
        for step in steps {
            let y = Self.height * (1 - step.value / top)
            // After a gap in time, start a new subpath.
            if last != step.from {
                if isClosed, let last { path = "\(path)V\(Self.height)H\(x(last))" }
                let start: Markup =
                    isClosed
                    ? "M\(x(step.from)) \(Self.height)V\(y)" : "M\(x(step.from)) \(y)"
                path = "\(path)\(start)"
            }
            path = "\(path)V\(y)H\(x(step.to))"
            last = step.to
        }
        return isClosed ? "\(path)V\(Self.height)z" : path
    }

    /// Rounds up to 1, 2, 2.5, 5, or 10 times a power of ten.
    private static func roundUp(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        var unit = 1.0
        while unit * 10 < value { unit *= 10 }
        return [1, 2, 2.5, 5, 10].map { $0 * unit }.first { $0 >= value } ?? value
    }
}

extension RunReport {
    /// The minimum duration of a chart, in seconds; a shorter curve is not informative.
    private static let secondsMin = 0.5

    /// Rows per second; `nil` if the run was too short for a curve.
    var rateChart: TimeChart? {
        let steps = zip(samples, samples.dropFirst()).compactMap {
            first, second -> TimeChart.Step? in
            let seconds = second.second - first.second
            guard first.stage == second.stage, seconds > 0 else { return nil }
            return TimeChart.Step(
                from: first.second, to: second.second,
                value: Double(max(0, second.records - first.records)) / seconds)
        }
        guard samples.last?.second ?? 0 >= Self.secondsMin,
            steps.contains(where: { $0.value > 0 })
        else { return nil }
        return TimeChart(
            title: "Rows per second", steps: steps, bands: bands, style: "rate",
            words: ReportNumbers.rate)
    }

    /// Memory over time; `nil` if the run was too short for a curve.
    var memoryChart: TimeChart? {
        let steps = zip(samples, samples.dropFirst()).compactMap {
            first, second -> TimeChart.Step? in
            guard let memory = second.memory, second.second > first.second else { return nil }
            return TimeChart.Step(
                from: first.second, to: second.second, value: Double(memory) / 1_048_576)
        }
        guard samples.last?.second ?? 0 >= Self.secondsMin else { return nil }
        return TimeChart(
            title: "Memory", steps: steps, bands: bands, style: "memory",
            words: { "\(ReportNumbers.rate($0)) MiB" })
    }

    private var bands: [TimeChart.Band] {
        var bands: [TimeChart.Band] = []
        for sample in samples {
            if bands.last?.name == sample.stage {
                bands[bands.count - 1].to = sample.second
            } else {
                bands.append(
                    TimeChart.Band(name: sample.stage, from: sample.second, to: sample.second))
            }
        }
        return bands
    }
}
