extension PredicatePages {
    /// The differences between the language and `NSPredicate`, including some that are only
    /// assumed.
    static let differences = #"""
        | feature | Apple | here | why |
        |---|---|---|---|
        | `==` of texts | by canonical equivalence | by bytes; `[cd]` folds and composes | SQL and \#
        memory must agree, and indexes compare bytes |
        | `[l]` | by locale | refused | a locale differs between machines |
        | `MATCHES` | ICU, with back-references and look-around | linear time, without them | no \#
        condition may run forever |
        | `CONTAINS ''` | depends on the store | false | one answer for SQL and memory |
        | `nil < 2.5`, `2.5 > nil` | depends on the store | false; `<=` and `>=` hold if both sides \#
        are nil | as SQL compares |
        | `'a' IN 'abc'` | `'abc' CONTAINS 'a'` | the same | |
        | `name.length` | a method of the text | `length(name)`, unless a record has such a field; \#
        in records, null of a value that is no text | \#
        records have keys and no methods |
        | `ANY tags.name.length > 3` | works in memory | refused; use `SUBQUERY(tags.name, $x, length($x) > 3).@count > 0` | one way to say it |
        | `& \| ^ ~ << >>`, `**` | on numbers | on whole numbers; an overflow of `**` is an error, \#
        and shifts lose bits | fractions have no bits, and powers must not wrap |
        | `a ** b ** c` | not documented | the right one is first | as in mathematics |
        | `%K` after a dot | a key path | the same | |
        | `{1, 2} == {1, 2}` | compares arrays | refused | a store has no lists; use `IN` |
        | `$map.$key`, `$map.key` | a dictionary's value | refused | values come from parameters, \#
        which are texts, numbers, dates, and lists |
        | `IN $list` | any collection | a parameter of the type `list`, or `--set` of one name \#
        several times; compared with records, a value is a number to numbers and a text to texts | |
        | `SUBQUERY` over values | works | the same: `SUBQUERY({1, 2}, $x, $x > priority)`, \#
        `SUBQUERY(tags.name, $x, $x BEGINSWITH 'a')`; one inside another over lists works on \#
        records alone | |
        | `FUNCTION(…)`, `keyPath.method()` | calls methods | refused | a store has no methods |
        | surplus arguments | ignored | refused | they are mistakes |
        | arithmetic | may go on in doubles | whole numbers stay whole, `/` drops the \#
        rest, an overflow is an error | no number changes silently |
        | size | limits of SQLite | 1 MiB of text; inside each other 64 brackets, `NOT`, `~`, or \#
        `**`, and nearly 400 other operators; \#
        any number of terms and of key paths; 256 keys in a key path, and 31 tables up to the last \#
        to-many relationship | deeper ones do not fit on a \#
        thread's stack, and SQLite joins 64 tables |

        """#
}
