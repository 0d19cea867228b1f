import Testing

@testable import Pipelines

@Suite("Spec lints") struct SpecificationLintTests {
    private func problems(_ spec: String) -> String { SpecificationTesting.problems(spec) }

    @Test func needsFormatStoreAndStages() {
        #expect(
            problems("name: Nightly Tasks\n") == """
                a.yaml:1:1: error: The key 'etl' is missing [spec.missing-key]
                  fix: begin the file with `etl: 1`
                a.yaml:1:1: error: The key 'store' is missing [spec.missing-key]
                a.yaml:1:1: error: The key 'stages' is missing [spec.missing-key]
                a.yaml:1:7: error: 'Nightly Tasks' is not a valid pipeline name [spec.name]
                  in: name
                  fix: use 1 to 64 of the characters a-z, 0-9, and -
                """)
        #expect(
            problems("etl: 2\nstore: tasks.sqlite\nstages: []\n") == """
                a.yaml:1:6: error: The spec is of format 2; this etl reads format 1 [spec.version]
                  in: etl
                  fix: use a newer etl
                a.yaml:2:8: error: 'store' must be a mapping, not the text 'tasks.sqlite' \
                [spec.type]
                  in: store
                a.yaml:3:9: error: A spec needs at least one stage [spec.stages]
                  in: stages
                """)
    }

    @Test func checksTheStoreAndTheLimits() {
        let text = """
            etl: 1
            store: { at: "", open: creat, commit: ran, mode: 1 }
            budget: { save-every: 0, bytes: 8MB, time: 0s }
            rejects: { dir: 5, allow: -1, abort: 200%, keep: 30y }
            report: { to: 5, keep: 0 }
            stags: []
            stages: [{ delete: Task, where: ALL }]
            """
        #expect(
            problems(text) == """
                a.yaml:2:14: error: 'at' is empty [spec.type]
                  in: store.at
                a.yaml:2:24: error: 'open' must be existing, create, or replace, not 'creat'. Did \
                you mean 'create'? [spec.choice]
                  in: store.open
                a.yaml:2:39: error: 'commit' must be batch, stage, or run, not 'ran'. Did you mean \
                'run'? [spec.choice]
                  in: store.commit
                a.yaml:2:44: error: The key 'mode' is unknown here. Did you mean 'model'? \
                [spec.unknown-key]
                  in: store.mode
                a.yaml:3:23: error: 'save-every' must be from 1 to 1000000000, not 0 [spec.range]
                  in: budget.save-every
                a.yaml:3:33: error: 'bytes' must be a size such as 8MiB, not the text '8MB' \
                [spec.type]
                  in: budget.bytes
                a.yaml:3:44: error: 'time' must be a duration such as 30m or 7d, not the text '0s' \
                [spec.type]
                  in: budget.time
                a.yaml:4:17: error: 'dir' must be text, not the number 5 [spec.type]
                  in: rejects.dir
                  fix: put it in quotes: "5"
                a.yaml:4:27: error: 'allow' must be a number such as 100 or a percentage such as \
                5%, not the number -1 [spec.type]
                  in: rejects.allow
                a.yaml:4:38: error: 'abort' must be a number such as 100 or a percentage such as \
                5%, not the text '200%' [spec.type]
                  in: rejects.abort
                a.yaml:4:50: error: 'keep' must be a duration such as 30m or 7d, not the text \
                '30y' [spec.type]
                  in: rejects.keep
                a.yaml:5:15: error: 'to' must be text, not the number 5 [spec.type]
                  in: report.to
                  fix: put it in quotes: "5"
                a.yaml:5:24: error: 'keep' must be from 1 to 100000, not 0 [spec.range]
                  in: report.keep
                a.yaml:6:1: error: The key 'stags' is unknown here. Did you mean 'stages'? \
                [spec.unknown-key]
                  in: stags
                """)
        let create =
            "etl: 1\nstore: { at: a, open: replace }\nstages: [{ delete: A, where: ALL }]\n"
        #expect(
            problems(create) == """
                a.yaml:2:8: error: The key 'model' is missing: `open: replace` makes a store \
                [spec.missing-key]
                  in: store
                  fix: add `model:` with a model file
                """)
    }

    @Test func checksParameters() {
        let text = """
            etl: 1
            params:
              a: { type: strin }
              b: { type: int, default: x }
              c: { type: date, default: "tomorrow - 1d" }
              d: { type: duration, default: 5 }
              e: { type: secret, default: hush }
              f: { type: string, from: ["environment:X", "env:"] }
              g-h: { type: bool, default: true }
              now: { type: path }
              i: { default: x, required: true }
            store: { at: "${stor}/a.sqlite", model: "m-${a.yaml" }
            stages:
              - import: "$${literal}/$a/${f}.csv"
                into: Task
                set: { x: { const: "${run.dat}" } }
            """
        #expect(
            problems(text) == """
                a.yaml:3:14: error: 'type' must be string, int, bool, date, duration, path, \
                secret, or list, not 'strin'. Did you mean 'string'? [spec.choice]
                  in: params.a.type
                a.yaml:4:28: error: 'default' must be a whole number, not the text 'x' [spec.type]
                  in: params.b.default
                a.yaml:5:29: error: 'default' must be a date such as 2026-01-31, today - 90d, or \
                now - 4h, not the text 'tomorrow - 1d' [spec.type]
                  in: params.c.default
                a.yaml:6:33: error: 'default' must be a duration such as 30m or 1h30m, not the \
                number 5 [spec.type]
                  in: params.d.default
                a.yaml:7:31: error: A secret must not be in the spec [spec.secret]
                  in: params.e.default
                  fix: name where it is kept: `from: ["env:NAME"]`
                a.yaml:8:29: error: 'environment:X' must begin with file: or env: [spec.source]
                  in: params.f.from[0]
                a.yaml:8:46: error: 'env:' must begin with file: or env: [spec.source]
                  in: params.f.from[1]
                a.yaml:9:3: error: 'g-h' is not a valid parameter name [spec.name]
                  in: params.g-h
                  fix: begin with a letter or underscore; then letters, digits, and underscores
                a.yaml:10:3: error: 'now' is reserved and cannot be a parameter \
                [spec.name]
                  in: params.now
                a.yaml:11:6: error: The key 'type' is missing [spec.missing-key]
                  in: params.i
                a.yaml:11:20: error: The key 'required' is unknown here [spec.unknown-key]
                  in: params.i.required
                a.yaml:12:14: error: No parameter is named 'stor' [spec.unknown-parameter]
                  in: store.at
                  fix: declare it under `params`, or write '$${' for the two characters themselves
                a.yaml:12:41: error: A '${' in 'model' is never closed [spec.parameter]
                  in: store.model
                  fix: close it with '}', or write '$${' for the two characters themselves
                a.yaml:16:24: error: No parameter is named 'run.dat'. Did you mean 'run.date'? \
                [spec.unknown-parameter]
                  in: stages[0].set.x.const
                  fix: declare it under `params`, or write '$${' for the two characters themselves
                """)
    }

    @Test func checksStageKindsAndNames() {
        let text = """
            etl: 1
            store: { at: a.sqlite }
            stages:
              - improt: a.csv
                into: Task
              - { import: a.csv, export: Task }
              - { verify: sane }
              - delete
              - { delete: "old done", entity: Task, where: ALL }
              - { delete: clean, entity: Task }
              - { update: clean, entity: Task, where: ALL, set: {} }
              - { update: clean-2, where: "x == ${cutoff}", set: { a: "b + ${run.id", c: [1] } }
              - { delete: Task, where: "", at-most: many, always: true, limit: 0 }
            """
        #expect(
            problems(text) == """
                a.yaml:4:5: error: A stage begins with import, update, delete, export, or verify. \
                Did you mean 'import'? [spec.stage-kind]
                  in: stages[0]
                a.yaml:6:5: error: A stage does one thing, not import and export [spec.stage-kind]
                  in: stages[1]
                  fix: make one stage of each
                a.yaml:7:5: error: The key 'expect' is missing [spec.missing-key]
                  in: stages[2]
                a.yaml:8:5: error: 'stages[3]' must be a mapping, not the text 'delete' [spec.type]
                  in: stages[3]
                a.yaml:9:15: error: 'old done' is not a valid stage name [spec.name]
                  in: stages[4].delete
                  fix: use 1 to 64 letters, digits, hyphens, underscores, and dots
                a.yaml:10:5: error: The key 'where' is missing [spec.missing-key]
                  in: stages[5]
                  fix: write `where: ALL` if you mean every object
                a.yaml:11:5: error: 'set' names no attribute [spec.set]
                  in: stages[6]
                a.yaml:11:15: error: The stage on line 10 is named 'clean' already \
                [spec.duplicate-name]
                  in: stages[6].update
                a.yaml:12:5: error: The key 'entity' is missing [spec.missing-key]
                  in: stages[7]
                a.yaml:12:31: error: '${cutoff}' would put text into 'where'; a parameter is a \
                value there [spec.template-in-predicate]
                  in: stages[7].where
                  fix: write $cutoff, without quotes
                a.yaml:12:59: error: '${' would put text into 'a'; a parameter is a value there \
                [spec.template-in-predicate]
                  in: stages[7].set.a
                  fix: write $name, without quotes
                a.yaml:12:78: error: 'c' must be an expression or a constant, not a list \
                [spec.type]
                  in: stages[7].set.c
                  fix: write the expression itself: "priority + 1"
                a.yaml:13:28: error: 'where' is empty [spec.type]
                  in: stages[8].where
                a.yaml:13:41: error: 'at-most' must be a number such as 100 or a percentage such \
                as 5%, not the text 'many' [spec.type]
                  in: stages[8].at-most
                a.yaml:13:68: error: 'limit' must be from 1 to 1000000000, not 0 [spec.range]
                  in: stages[8].limit
                """)
    }

    @Test func checksImports() {
        let text = """
            etl: 1
            store: { at: a.sqlite }
            stages:
              - import: a
                read: { as: xml, files: [] }
                key: 5
                when-found: skap
              - import: b
                read: { files: b.csv, at: "$.x", header: false, delimiter: "a\\nb", quote: "\\n" }
                into: Task
                duplicates: middle
              - import: c
                read: { files: [c.ndjson, d.ndjson.gz], header: true, null: NULL, once: true }
                into: Task
                set:
                  a: 5
                  b: { form: x, expr: y }
                  c: { const: 1, from: x }
                  d: { from: x, date: "yyyy-QQ" }
                  e: { from: x, map: { a: [1] } }
                link:
                  f: Person
                  g: { to: Person }
                  h: { by: {} }
                  i: { by: email, missing: skap, many: all }
                  j: { by: { a: { need: true } } }
              - import: d
                read: { files: d.json, at: items, compression: zip }
                into: Task
              - import: e
                read: { files: e.tsv, columns: [a, b, a], delimiter: "'", quote: "'" }
                into: Task
                keep-if: "a == '${b}'"
            """
        #expect(
            problems(text) == """
                a.yaml:4:5: error: The key 'into' is missing [spec.missing-key]
                  in: stages[0]
                a.yaml:5:17: error: 'as' must be csv, tsv, json, or ndjson, not 'xml' [spec.choice]
                  in: stages[0].read.as
                a.yaml:5:29: error: 'files' names no file [spec.type]
                  in: stages[0].read.files
                a.yaml:6:10: error: 'key' must be text, not the number 5 [spec.type]
                  in: stages[0].key
                  fix: put it in quotes: "5"
                a.yaml:7:17: error: 'when-found' must be update, skip, replace, reject, or append, \
                not 'skap'. Did you mean 'skip'? [spec.choice]
                  in: stages[0].when-found
                a.yaml:9:31: error: 'at' is for json, and the files are csv [spec.rule]
                  in: stages[1].read.at
                a.yaml:9:46: error: Without a header the columns have no names [spec.columns]
                  in: stages[1].read.header
                  fix: name them: `columns: [first, second]`
                a.yaml:9:64: error: 'delimiter' must be 1 to 16 bytes without a line end, not the \
                text 'a\\nb' [spec.type]
                  in: stages[1].read.delimiter
                a.yaml:9:79: error: 'quote' must be one ASCII character other than a line end, \
                not the text '\\n' [spec.type]
                  in: stages[1].read.quote
                a.yaml:11:17: error: 'duplicates' must be last, first, or reject, not 'middle' \
                [spec.choice]
                  in: stages[1].duplicates
                a.yaml:13:53: error: 'header' is for csv and tsv, and the files are ndjson \
                [spec.rule]
                  in: stages[2].read.header
                a.yaml:13:65: error: 'null' is for csv and tsv, and the files are ndjson \
                [spec.rule]
                  in: stages[2].read.null
                a.yaml:16:10: error: 'a' must be the name of a field, not the number 5 [spec.type]
                  in: stages[2].set.a
                  fix: write `{ const: 5 }` for the value itself
                a.yaml:17:12: error: The key 'form' is unknown here. Did you mean 'from'? \
                [spec.unknown-key]
                  in: stages[2].set.b.form
                a.yaml:18:19: error: 'const' sets the value, so 'from' has no effect [spec.rule]
                  in: stages[2].set.c.const
                a.yaml:19:27: error: A date pattern cannot have 2 of the letter 'Q'; quote it if \
                it is literal text [spec.date-pattern]
                  in: stages[2].set.d.date
                a.yaml:20:31: error: 'a' must be a single value, not a list [spec.type]
                  in: stages[2].set.e.map.a
                a.yaml:22:10: error: 'f' must be a mapping, not the text 'Person' [spec.type]
                  in: stages[2].link.f
                  fix: say how the objects are found: `{ by: { email: owner.email } }`
                a.yaml:23:10: error: The key 'by' is missing [spec.missing-key]
                  in: stages[2].link.g
                a.yaml:24:16: error: 'by' names no attribute [spec.by]
                  in: stages[2].link.h.by
                a.yaml:25:16: error: 'by' must be a mapping such as { email: owner.email }, not \
                the text 'email' [spec.type]
                  in: stages[2].link.i.by
                a.yaml:25:32: error: 'missing' must be create, null, report, skip, or reject, not 'skap'. \
                Did you mean 'skip'? [spec.choice]
                  in: stages[2].link.i.missing
                a.yaml:25:44: error: 'many' must be replace, add, or remove, not 'all' [spec.choice]
                  in: stages[2].link.i.many
                a.yaml:26:21: error: The key 'from' is missing [spec.missing-key]
                  in: stages[2].link.j.by.a
                a.yaml:28:32: error: The path 'items' is not valid: it must start with '$' \
                [spec.path]
                  items
                  ^
                  in: stages[3].read.at
                  fix: begin with $, then a dot before each name, and [*] for every element of a \
                list: $.data.items[*]
                a.yaml:28:52: error: 'compression' must be auto, gzip, or none, not 'zip'. Did you \
                mean 'gzip'? [spec.choice]
                  in: stages[3].read.compression
                a.yaml:31:43: error: 'a' is among the columns already [spec.duplicate-name]
                  in: stages[4].read.columns[2]
                a.yaml:31:70: error: 'quote' and 'delimiter' must differ [spec.rule]
                  in: stages[4].read.quote
                a.yaml:33:14: error: '${b}' would put text into 'keep-if'; a parameter is a value \
                there [spec.template-in-predicate]
                  in: stages[4].keep-if
                  fix: write $b, without quotes
                """)
    }

    @Test func rejectsAQuoteThatEqualsTheDelimiter() {
        let text = """
            etl: 1
            store: { at: a.sqlite }
            stages:
              - import: a
                read: { files: a.csv, delimiter: '"' }
                into: Task
              - import: b
                read: { files: b.csv, quote: "," }
                into: Task
              - import: c
                read: { files: c.tsv, quote: "\\t" }
                into: Task
              - import: d
                read: { files: d.csv, delimiter: "\\0" }
                into: Task
              - import: e
                read: { files: e.csv, delimiter: '"', quote: none }
                into: Task
              - import: f
                read: { files: f.tsv, quote: "," }
                into: Task
            """
        #expect(
            problems(text) == """
                a.yaml:5:38: error: 'quote' and 'delimiter' must differ [spec.rule]
                  in: stages[0].read.delimiter
                  fix: name another `quote` than ", which it is without its key, or `quote: none`
                a.yaml:8:34: error: 'quote' and 'delimiter' must differ [spec.rule]
                  in: stages[1].read.quote
                  fix: name the `delimiter`, which is a comma without its key
                a.yaml:11:34: error: 'quote' and 'delimiter' must differ [spec.rule]
                  in: stages[2].read.quote
                  fix: name the `delimiter`, which is a tab without its key
                a.yaml:14:38: error: 'delimiter' cannot have the character NUL [spec.rule]
                  in: stages[3].read.delimiter
                """)
    }

    @Test func requiresDistinctQuoteEscapeCommentAndDelimiter() {
        let text = """
            etl: 1
            store: { at: a.sqlite }
            stages:
              - import: a
                read: { files: a.csv, escape: '"' }
                into: Task
              - import: b
                read: { files: b.csv, comment: ',', escape: "," }
                into: Task
              - import: c
                read: { files: c.csv, delimiter: "|#|", comment: "#", escape: "#" }
                into: Task
              - import: d
                read: { files: d.csv, comment: '"' }
                into: Task
              - import: e
                read: { files: e.csv, comment: '%', escape: '%' }
                into: Task
              - import: f
                read: { files: f.ndjson, skip: 1, comment: '#', trailing-delimiter: true, escape: x }
                into: Task
              - import: g
                read: { files: g.csv, comment: '"', quote: none, escape: "\\\\", skip: -1 }
                into: Task
              - import: h
                read: { files: h.csv, delimiter: '~"~' }
                into: Task
            """
        #expect(
            problems(text) == """
                a.yaml:5:35: error: 'escape' and 'quote' must differ [spec.rule]
                  in: stages[0].read.escape
                  fix: leave out `escape`: a quote inside quotes is written twice without it
                a.yaml:8:36: error: 'comment' and 'delimiter' must differ [spec.rule]
                  in: stages[1].read.comment
                a.yaml:8:49: error: 'escape' and 'delimiter' must differ [spec.rule]
                  in: stages[1].read.escape
                a.yaml:8:49: error: 'escape' and 'comment' must differ [spec.rule]
                  in: stages[1].read.escape
                a.yaml:11:54: error: 'comment' and 'delimiter' must differ [spec.rule]
                  in: stages[2].read.comment
                a.yaml:11:67: error: 'escape' and 'delimiter' must differ [spec.rule]
                  in: stages[2].read.escape
                a.yaml:11:67: error: 'escape' and 'comment' must differ [spec.rule]
                  in: stages[2].read.escape
                a.yaml:14:36: error: 'comment' and 'quote' must differ [spec.rule]
                  in: stages[3].read.comment
                a.yaml:17:49: error: 'escape' and 'comment' must differ [spec.rule]
                  in: stages[4].read.escape
                a.yaml:20:36: error: 'skip' is for csv and tsv, and the files are ndjson [spec.rule]
                  in: stages[5].read.skip
                a.yaml:20:48: error: 'comment' is for csv and tsv, and the files are ndjson [spec.rule]
                  in: stages[5].read.comment
                a.yaml:20:73: error: 'trailing-delimiter' is for csv and tsv, and the files are ndjson \
                [spec.rule]
                  in: stages[5].read.trailing-delimiter
                a.yaml:20:87: error: 'escape' is for csv and tsv, and the files are ndjson [spec.rule]
                  in: stages[5].read.escape
                a.yaml:23:74: error: 'skip' must be from 0 to 1000000, not -1 [spec.range]
                  in: stages[6].read.skip
                a.yaml:26:38: error: 'quote' and 'delimiter' must differ [spec.rule]
                  in: stages[7].read.delimiter
                  fix: name another `quote` than ", which it is without its key, or `quote: none`
                """)
    }

    @Test func checksExports() {
        let text = """
            etl: 1
            store: { at: a.sqlite }
            stages:
              - { export: Task }
              - { export: Task, to: "out/tasks-${run.date}" }
              - { export: Task, to: tasks.xlsx, level: 9, shape: nested }
              - { export: Task, to: a.json, as: parquet, level: 0 }
              - { export: Task, to: b.json, fields: [id, id], order: [id up, "", title nulls] }
              - { export: Task, to: c.json, fields: [] }
            """
        #expect(
            problems(text) == """
                a.yaml:4:5: error: The key 'to' is missing [spec.missing-key]
                  in: stages[0]
                a.yaml:5:25: error: The name 'out/tasks-${run.date}' does not identify the format \
                [spec.format]
                  in: stages[1].to
                  fix: add `as:` with csv, tsv, json, or ndjson
                a.yaml:6:25: error: The name 'tasks.xlsx' is that of an Excel workbook, which etl does \
                not write [spec.foreign-format]
                  in: stages[2].to
                  fix: export `to: tasks.csv`, and convert that file to a workbook
                a.yaml:6:44: error: 'level' is for files named .gz, not for 'tasks.xlsx' [spec.rule]
                  in: stages[2].level
                a.yaml:7:37: error: 'as' must be csv, tsv, json, or ndjson, not 'parquet' \
                [spec.choice]
                  in: stages[3].as
                a.yaml:7:53: error: 'level' must be from 1 to 9, not 0 [spec.range]
                  in: stages[3].level
                a.yaml:7:53: error: 'level' is for files named .gz, not for 'a.json' [spec.rule]
                  in: stages[3].level
                a.yaml:8:46: error: 'id' is among the fields already [spec.duplicate-name]
                  in: stages[4].fields[1]
                a.yaml:8:59: error: 'asc', 'desc', 'nocase', 'localized', 'nulls', or a comma \
                belongs here [predicate.syntax]
                  id up
                     ^
                  in: stages[4].order[0]
                a.yaml:8:66: error: 'order[1]' is empty [spec.type]
                  in: stages[4].order[1]
                a.yaml:8:70: error: 'first' or 'last' belongs after 'nulls' [predicate.syntax]
                  title nulls
                             ^
                  in: stages[4].order[2]
                a.yaml:9:41: error: 'fields' names no field [spec.type]
                  in: stages[5].fields
                """)
    }
}
