/// The keys of `rejects`.
enum RejectsKeys {
    static let folder = Key(
        "dir", .path, default: TemplateText(literal: "./rejects"),
        """
        The folder for rejected records. Each run has its own folder in it, with the reasons in \
        `.why.ndjson`. Their `byte`, `line`, and `column` count in the UTF-8 text, even if the \
        input has another encoding.
        """, example: "../rejects")
    static let allow = Key(
        "allow", .limit, default: .count(0),
        """
        Maximum number of rejected records with which an import still succeeds. It is checked at the end \
        of the import, and again by the next run.
        """, example: "1%")
    static let abort = Key(
        "abort", .limit, default: .count(1000),
        """
        If more records than this are rejected, the stage stops at once. The next run resumes \
        there and counts from 0.
        """, example: "100")
    static let keep = Key(
        "keep", .duration, default: 30 * 86_400, "Removes older folders of rejects.", example: "90d"
    )
    static let mapping = DescribedMapping(
        "rejects",
        """
        Records that cannot be imported are rejected with the reason, and the import continues. A \
        rejected record lists all faults that can be determined. It omits links to objects that \
        other records may create, links of nested objects, and rules about values that are \
        rejected themselves.
        """,
        keys: [folder, allow, abort, keep])
}

/// The folder of rejected records and the limits on their number.
package struct RejectsSpec: Sendable, Hashable {
    /// The folder of the reject files.
    package var folder = RejectsKeys.folder.default
    /// The number of rejects with which a stage still succeeds.
    package var allow = RejectsKeys.allow.default
    /// The number of rejects that ends a stage immediately.
    package var abort = RejectsKeys.abort.default
    /// The number of seconds for which the files of earlier runs are kept.
    package var keepSeconds = RejectsKeys.keep.default

    /// Allows another number of rejects, and raises the limit that ends a stage early to it.
    mutating func allow(_ limit: CountLimit) {
        allow = limit
        switch (limit, abort) {
        case (.count(0), _), (.percent(0), _): break
        case (.count(let allowed), .count(let most)): abort = .count(max(allowed, most))
        case (.percent(let allowed), .percent(let most)): abort = .percent(max(allowed, most))
        // How many records are 5 % is known only at the end.
        case (.percent, _), (.count, .percent): abort = .percent(100)
        }
    }
}

extension RejectsSpec {
    /// Reads `rejects`.
    init(_ keys: KeyedMapping) {
        self.init(
            folder: keys[RejectsKeys.folder], allow: keys[RejectsKeys.allow],
            abort: keys[RejectsKeys.abort], keepSeconds: keys[RejectsKeys.keep])
    }
}
