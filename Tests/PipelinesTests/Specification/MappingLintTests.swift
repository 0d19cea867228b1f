import Testing

@testable import Pipelines

/// Problems of mappings for attributes and relationships, with their positions.
@Suite("Mapping lints")
struct MappingLintTests {
    @Test("reports invalid values of the keys of `set`, `read`, and the stage")
    func values() {
        let text = """
            etl: 1
            store: { at: a.sqlite }
            stages:
              - import: a
                read: { files: a.ndjson, ragged: pad, encoding: ascii, max-record: 2GB, max-ratio: 0 }
                into: Task
                when-same: tuch
                extra: stopp
                set:
                  a: { clean: [trim, lowr] }
                  b: { number: second }
                  c: { number: { decimal: ",", thousands: "," } }
                  d: { number: { decimals: "," } }
                  e: { zone: Europe/Berlin }
                  f: { zone: "+25:00" }
                  g: { from: x, expr: y }
                  h: { default: 1, need: true }
                  i: { number: seconds, date: yyyy }
                  j: { cast: losy }
                  k: { const: 1, default: 2 }
                  l: { number: { thousands: ab } }
              - import: b.csv
                into: Task
                mirror: true
              - import: c.csv
                into: Task
                mirror: { at-most: all }
                on: { duplicate-key: stap, duplicate-keys: stop }
            """
        #expect(
            SpecificationTesting.problems(text) == """
                a.yaml:5:38: error: 'ragged' is for csv and tsv, and the files are ndjson \
                [spec.rule]
                  in: stages[0].read.ragged
                a.yaml:5:53: error: 'encoding' must be utf-8, utf-16, latin1, or windows-1252, not 'ascii' \
                [spec.choice]
                  in: stages[0].read.encoding
                a.yaml:5:72: error: 'max-record' must be a number of bytes such as 65536, 64KiB, or \
                16MiB, up to 1GiB, not the text '2GB' [spec.type]
                  in: stages[0].read.max-record
                a.yaml:5:88: error: 'max-ratio' must be from 1 to 1000000, not 0 [spec.range]
                  in: stages[0].read.max-ratio
                a.yaml:7:16: error: 'when-same' must be skip or touch, not 'tuch'. Did you mean \
                'touch'? [spec.choice]
                  in: stages[0].when-same
                a.yaml:8:12: error: 'extra' must be ignore, reject, or stop, not 'stopp'. Did you \
                mean 'stop'? [spec.choice]
                  in: stages[0].extra
                a.yaml:10:26: error: 'clean[1]' must be trim, lower, upper, nfc, or collapse, not \
                'lowr'. Did you mean 'lower'? [spec.choice]
                  in: stages[0].set.a.clean[1]
                a.yaml:11:20: error: 'number' must be seconds or milliseconds, not 'second'. Did \
                you mean 'seconds'? [spec.choice]
                  in: stages[0].set.b.number
                a.yaml:12:47: error: 'thousands' and 'decimal' must differ [spec.rule]
                  in: stages[0].set.c.number.thousands
                a.yaml:13:22: error: The key 'decimals' is unknown here. Did you mean 'decimal'? \
                [spec.unknown-key]
                  in: stages[0].set.d.number.decimals
                a.yaml:14:18: error: 'Europe/Berlin' is not an offset from UTC [spec.zone]
                  in: stages[0].set.e.zone
                  fix: write Z or an offset such as +02:00; time zones are not allowed, because their offset changes
                a.yaml:15:18: error: '+25:00' is not an offset from UTC [spec.zone]
                  in: stages[0].set.f.zone
                  fix: write Z or an offset such as +02:00; time zones are not allowed, because their offset changes
                a.yaml:16:18: error: 'expr' computes the value, so 'from' has no effect \
                [spec.rule]
                  in: stages[0].set.g.from
                a.yaml:17:21: error: With a 'default' no record lacks the value, so 'need' has no \
                effect [spec.rule]
                  in: stages[0].set.h.default
                a.yaml:18:35: error: 'number' and 'date' both say how the date is written \
                [spec.rule]
                  in: stages[0].set.i.date
                a.yaml:19:18: error: 'cast' must be lossless or lossy, not 'losy'. Did you mean \
                'lossy'? [spec.choice]
                  in: stages[0].set.j.cast
                a.yaml:20:19: error: 'const' sets the value, so 'default' has no effect [spec.rule]
                  in: stages[0].set.k.const
                a.yaml:21:33: error: 'thousands' must be one character that is not a letter, a \
                digit, or a sign, not the text 'ab' [spec.type]
                  in: stages[0].set.l.number.thousands
                a.yaml:24:13: error: 'mirror' must be a mapping, not true [spec.type]
                  in: stages[1].mirror
                a.yaml:27:13: error: The key 'where' is missing [spec.missing-key]
                  in: stages[2].mirror
                  fix: write `where: ALL` if the input is about every object
                a.yaml:27:24: error: 'at-most' must be a number such as 100 or a percentage such \
                as 5%, not the text 'all' [spec.type]
                  in: stages[2].mirror.at-most
                a.yaml:28:26: error: 'duplicate-key' must be ignore, reject, or stop, not 'stap'. \
                Did you mean 'stop'? [spec.choice]
                  in: stages[2].on.duplicate-key
                a.yaml:28:32: error: The key 'duplicate-keys' is unknown here. Did you mean \
                'duplicate-key'? [spec.unknown-key]
                  in: stages[2].on.duplicate-keys
                """)
    }

    private func problems(_ stages: String) -> String {
        SpecificationTesting.stageProblems(stages)
    }

    @Test("checks number forms, time zones, and defaults against the model")
    func againstModel() {
        let stages = """
              - import: a.ndjson
                into: Tag
                set:
                  name: { number: seconds }
              - import: b.ndjson
                into: Tag
                set:
                  name: { zone: "+01:00", number: { decimal: "," }, default: null }
              - import: c.ndjson
                into: Tag
                when-found: append
                key: name
                mirror: { where: "nme == 1" }
              - import: d
                read: { files: d.ndjson, once: true }
                into: Tag
                mirror: { where: ALL }
            """
        #expect(
            problems(stages) == """
                a.yaml:5:23: error: Seconds since 1970 are for Date, and 'name' is String \
                [spec.rule]
                  in: stages[0].set.name.number
                a.yaml:9:21: error: 'zone' is for Date, and 'name' is String [spec.rule]
                  in: stages[1].set.name.zone
                a.yaml:9:39: error: The signs of a number are for numbers, and 'name' is String \
                [spec.rule]
                  in: stages[1].set.name.number
                a.yaml:9:66: error: 'name' is not optional, so it cannot be null [spec.constant]
                  in: stages[1].set.name.default
                a.yaml:13:10: error: `when-found: append` looks for no object, so 'key' has no \
                effect [spec.rule]
                  in: stages[2].key
                  fix: remove it, or use another `when-found`
                a.yaml:14:13: error: `when-found: append` finds no object again, so 'mirror' would \
                delete all [spec.rule]
                  in: stages[2].mirror
                  fix: remove 'mirror', or import with a key
                a.yaml:14:22: error: 'Tag' has no property 'nme'. Did you mean 'name'? \
                [predicate.unknown-key]
                  nme == 1
                  ^
                  in: stages[2].mirror.where
                a.yaml:18:13: error: `once` leaves out inputs that were read before, so 'mirror' \
                would delete their objects [spec.rule]
                  in: stages[3].mirror
                  fix: remove one of the two
                """)
    }

    @Test(
        "reports expressions that cannot be computed or that do not fit the attribute",
        arguments: [
            ("title +", "predicate.syntax"), ("lowcase(title)", "predicate.function"),
            ("length(a, b)", "predicate.function"), ("$cutof", "predicate.variable"),
            ("SELF", "predicate.unsupported"), ("{1, 2}", "predicate.type"),
        ])
    func badExpressions(_ expression: String, _ code: String) {
        let found = problems(
            """
              - import: a.ndjson
                into: Tag
                set: { name: { expr: "\(expression)" } }
            """)
        #expect(found.hasPrefix("a.yaml:4:26: error: "), "\(found)")
        #expect(found.contains("[\(code)]"), "\(found)")
    }

    @Test(
        "reports result types that an attribute never accepts",
        arguments: [
            ("id", "a + 1", "'id' is UUID and takes a UUID, and this expression gives a number"),
            ("id", "'x'", "'id' is UUID and takes a UUID, and this expression gives text"),
            (
                "dueDate", "length(a)",
                "'dueDate' is Date and takes a date, and this expression gives a number"
            ),
            (
                "priority", "now()",
                "'priority' is Integer 16 and takes a number, and this expression gives a date"
            ),
            (
                "priority", "'70000'",
                "'priority' is Integer 16 and takes a whole number in its range, and this "
                    + "expression gives text"
            ),
            (
                "title", "true",
                "'title' is String and takes text, and this expression gives true or "
                    + "false"
            ),
        ])
    func kinds(_ attribute: String, _ expression: String, _ message: String) {
        let found = problems(
            """
              - import: a.ndjson
                into: Task
                set: { \(attribute): { expr: "\(expression)" } }
                link: { owner: { by: { email: o } } }
            """)
        #expect(found.contains("error: \(message) [predicate.type]"), "\(found)")
    }

    @Test(
        "accepts result types that an attribute may accept",
        arguments: [
            ("id", "uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', a)"), ("id", "lowercase(a)"),
            ("dueDate", "date(a, 'yyyy')"), ("dueDate", "coalesce(a, now())"),
            ("priority", "'7'"), ("priority", "ternary(a == 1, 2, 3)"), ("title", "a + 1"),
            ("extra", "a + 1"), ("isCompleted", "a - 1"),
        ])
    func goodKinds(_ attribute: String, _ expression: String) {
        let found = problems(
            """
              - import: a.ndjson
                into: Task
                set: { \(attribute): { expr: "\(expression)" } }
                link: { owner: { by: { email: o } } }
            """)
        #expect(found == "", "\(found)")
    }
}
