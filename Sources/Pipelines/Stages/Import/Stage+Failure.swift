import Diagnostics
import GraphModel
import RecordStreams

extension Stage {
    /// Returns the failure of the stage with its location.
    ///
    /// If a column is missing that an expression names, this is the location of the expression.
    func failure(_ error: any Error) -> RunFailure {
        let failure = RunFailure(error, stage: reportLocation)
        guard let spec = kind as? ImportSpec else { return failure }
        return failure.changing { diagnostic in
            guard let (column, location) = spec.expression(namingColumnOf: diagnostic) else {
                return
            }
            diagnostic.stage = StagePlace(
                kind: kind.word, name: name, location: location,
                key: String(location.keyPath.drop { $0 != "." }.dropFirst()))
            // `status == done`, or `Done` anywhere, may be a text without quotes.
            let isWord = column.first?.isUppercase == true || spec.wordsCompared.contains(column)
            if isWord, !diagnostic.message.contains("Did you mean") {
                diagnostic.fix =
                    "a text needs quotes: '\(column)'" + (diagnostic.fix.map { "; or \($0)" } ?? "")
            }
        }
    }
}

extension ImportSpec {
    /// The keys that the filter compares with a value.
    fileprivate var wordsCompared: Set<String> {
        // The filter was parsed before the stage started, so this cannot fail.
        keepIf.flatMap { try? ParsedPredicate(format: $0.text).predicate.wordsCompared } ?? []
    }

    /// Returns the filter or expression that names the column missing in a header.
    fileprivate func expression(
        namingColumnOf diagnostic: Diagnostic
    ) -> (name: String, location: SourceLocation)? {
        // The texts were parsed before the stage started, so this cannot fail.
        var texts = expressions(in: nil).map { subject in
            (
                try? ParsedExpression(format: subject.text.text).expression.keyPaths,
                subject.text.location
            )
        }
        if let keepIf {
            // Parsed before the stage started, like the expressions.
            texts.insert(
                (try? ParsedPredicate(format: keepIf.text).predicate.keyPaths, keepIf.location),
                at: 0)
        }
        for (keys, location) in texts {
            for key in keys ?? [] {
                let name = key.joined(separator: ".")
                let error = RecordStreamError(
                    .csvUnknownColumn(name: name, header: []), at: RecordLocation(source: ""))
                let words = error.diagnostic.message
                if diagnostic.code == error.code,
                    diagnostic.message == words || diagnostic.message.hasPrefix(words + ".")
                {
                    return (name, location)
                }
            }
        }
        return nil
    }
}
