import GraphModel

/// The statistics of a field's values for the HTML report: frequent values, range, and
/// distribution.
final class ColumnProfile {
    /// The maximum number of distinct values to count; further ones only set `isTruncated`.
    private static let countedMax = 1000
    /// The maximum length of a counted value in bytes; longer values are counted by their first
    /// bytes.
    private static let bytesMax = 80
    /// The number of sampled numbers, dates, or lengths for the histogram.
    private static let sampleMax = 1000

    private var counts: [String: Int] = [:]
    /// Whether there were more distinct values than are counted.
    private(set) var isTruncated = false
    private(set) var values = 0
    private var numbers = Spread()
    private var dates = Spread()
    private var lengths = Spread()

    /// A range of numbers with a random sample for a histogram.
    private struct Spread {
        var count = 0
        var low = Double.infinity
        var high = -Double.infinity
        var sample: [Double] = []
        private var random: UInt64 = 1

        mutating func add(_ value: Double) {
            count += 1
            low = min(low, value)
            high = max(high, value)
            guard sample.count >= ColumnProfile.sampleMax else {
                sample.append(value)
                return
            }
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let place = Int(random >> 33) % count
            if place < sample.count { sample[place] = value }
        }
    }

    func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        values += 1
        lengths.add(Double(bytes.count))
        if let number = ScalarParser.double(bytes), number.isFinite { numbers.add(number) }
        if bytes.count >= 10, let seconds = ScalarParser.isoDate(bytes) { dates.add(seconds) }
        var text = String(decoding: bytes.prefix(Self.bytesMax), as: UTF8.self)
        if bytes.count > Self.bytesMax { text += "…" }
        if counts[text] != nil || counts.count < Self.countedMax {
            counts[text, default: 0] += 1
        } else {
            isTruncated = true
        }
    }

    /// The number of distinct values that were counted.
    var distinct: Int { counts.count }

    /// The up to five most frequent values with their counts.
    ///
    /// It is empty if there are more than five values and each is unique.
    var frequent: [(text: String, count: Int)] {
        guard values > counts.count || counts.count <= 5 else { return [] }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
            .map { ($0.key, $0.value) }
    }

    private var spread: (Spread, (Double) -> String) {
        if values > 0, numbers.count == values { return (numbers, Self.number) }
        if values > 0, dates.count == values { return (dates, ScalarText.isoDate) }
        return (lengths, { "\(Int($0)) bytes" })
    }

    /// The smallest and the largest number or date; for other values, of their lengths.
    var range: String {
        guard values > 0 else { return "" }
        let (spread, text) = spread
        let (low, high) = (text(spread.low), text(spread.high))
        return low == high ? low : "\(low) – \(high)"
    }

    /// The number of sampled values in each tenth of the range; empty if the range is a single
    /// value.
    var bars: [Int] {
        let (spread, _) = spread
        guard spread.count > 1, spread.high > spread.low, (spread.high - spread.low).isFinite
        else { return [] }
        var bars = Array(repeating: 0, count: 10)
        for value in spread.sample {
            let place = (value - spread.low) / (spread.high - spread.low) * 10
            bars[max(0, min(9, Int(place)))] += 1
        }
        return bars
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
    }
}
