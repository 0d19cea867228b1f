extension PredicatePages {
    /// The differences between the language and `NSPredicate`, including some that are only
    /// assumed.
    static let differences = #"""
        | feature | Apple | here | why |
        |---|---|---|---|
        | `==` of strings | by canonical equivalence | by bytes; `[cd]` folds and composes | SQL \#
        and memory must agree, and indexes compare bytes |
        | `[l]` | by locale | not allowed | a locale differs between machines |
        | `MATCHES` | ICU, with back-references and look-around | linear time, without them | every \#
        condition must finish |
        | `CONTAINS ''` | depends on the store | false | one answer for SQL and memory |
        | `nil < 2.5`, `2.5 > nil` | depends on the store | false; `<=` and `>=` hold if both sides \#
        are nil | as SQL compares |
        | `'a' IN 'abc'` | `'abc' CONTAINS 'a'` | the same | |
        | `name.length` | a method of the string | `length(name)`, unless a record has that \#
        field; in records, null if the value is not a string | records have keys and no methods |
        | `ANY tags.name.length > 3` | works in memory | not allowed; use `SUBQUERY(tags.name, $x, length($x) > 3).@count > 0` | one syntax for each condition |
        | `& \| ^ ~ << >>`, `**` | on numbers | on integers; an overflow of `**` is an error, and \#
        shifts lose bits | fractions have no bits, and powers must not wrap |
        | `a ** b ** c` | not documented | right-associative | as in mathematics |
        | `%K` after a dot | a key path | the same | |
        | `{1, 2} == {1, 2}` | compares arrays | not allowed | a store has no lists; use `IN` |
        | `$map.$key`, `$map.key` | a dictionary's value | not allowed | values come from \#
        parameters, which are strings, numbers, dates, and lists |
        | `IN $list` | any collection | a parameter of the type `list`, or several `--set` with \#
        one name; in records, a value is compared with numbers as a number and with strings as a \#
        string | |
        | `SUBQUERY` over values | works | the same: `SUBQUERY({1, 2}, $x, $x > priority)`, \#
        `SUBQUERY(tags.name, $x, $x BEGINSWITH 'a')`; a nested one over lists works only on \#
        records | |
        | `FUNCTION(…)`, `keyPath.method()` | calls methods | not allowed | a store has no methods |
        | surplus arguments | ignored | not allowed | they are mistakes |
        | arithmetic | may continue in doubles | integers stay integers, `/` drops the remainder, \#
        an overflow is an error | no number changes silently |
        | size of a text | limits of SQLite | 1 MiB; any number of terms and of key paths | |
        | nesting | limits of SQLite | 64 brackets, `NOT`, `~`, or `**`, and nearly 400 other \#
        operators | more does not fit on a thread's stack |
        | key paths | limits of SQLite | 256 keys, 31 tables up to the last to-many relationship, \#
        and 4 elements by index such as `tasks[0]` | SQLite joins 64 tables |

        """#
}
