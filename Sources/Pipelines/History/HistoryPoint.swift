import FoundationEssentials

/// A start or end point of a history: a token or a date.
enum HistoryPoint {
    case place(HistoryPlace)
    case date(Date)

    init(
        _ text: String, of argument: QueryMistake.Argument, now: Date
    ) throws(QueryMistake) {
        if let place = HistoryPlace(text) {
            self = .place(place)
        } else if let date = TimeText.date(text, now: now.timeIntervalSinceReferenceDate) {
            self = .date(Date(timeIntervalSinceReferenceDate: date))
        } else {
            throw QueryMistake(
                argument, code: "history.since", "'\(text)' is neither a token nor a date",
                fix: "give the token of a line, or a date such as 2026-01-31 or 'today - 7d'")
        }
    }
}
