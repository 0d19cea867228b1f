import GraphModel

/// The page of predicates and expressions, generated from the parser's tables.
enum PredicatePages {
    static func text() -> String {
        let functions = PredicateFunction.all
        let reserved = PredicateKeywords.reserved.map { "`\($0)`" }.joined(separator: " ")
        return """
            # Predicates and expressions

            A predicate selects objects or records: `where`, `keep-if`, `fetch --where`, and the \
            rules of a model. An expression computes a value: `expr` of an import, and `set` of \
            an update. Both use the syntax of `NSPredicate`. etl checks them before a run, and \
            reports the position of each error.

            | written | is |
            |---|---|
            | `title`, `category.name` | a key: an attribute, or the path to one through \
            relationships; in a record, a field |
            | `'text'`, `"text"` | a string; `\\'` is a quotation mark in it |
            | `12`, `1.5`, `1e3`, `0x1F` | a number |
            | `{1, 2}` | a list |
            | `cast('2026-01-31', 'Date')` | a date, also in `set` of an update; `cast` also \
            gives a UUID. In a comparison with a date, a string such as `'2026-01-31'` is enough \
            |
            | `$now`, `$today`, `$name` | the time and the day of the run; a parameter of the \
            spec, or a value of `fetch --set`. A list for `IN` is a parameter of the type `list`, \
            or several `--set` with one name |
            | `#no` | the key `no`, which is otherwise a keyword; also `#'any text'` |
            | `objectID`, `category.objectID` | the primary key of an object, `Z_PK` |
            | `( )` | grouping |

            Keywords are not case-sensitive. The examples use the tasks of \
            [`pipelines`](../../pipelines/task-model.yaml).

            A field that a record lacks is nil. For a field with a list or an object, only `tags \
            == nil` and `tags != nil` are allowed. Any other use is an error, which rejects the \
            record with the code `expr`.

            \(objectNumbers)
            ## Comparisons

            \(table(PredicateTerm.comparisons))
            Letters in brackets after a string operator set how it compares. Without them, it \
            compares character by character:

            \(table(PredicateTerm.options))
            ## Regular expressions

            \(patterns)
            ## Conditions

            \(table(PredicateTerm.connectives + PredicateTerm.modifiers))
            ## Words that are values

            \(table(PredicateTerm.constants))
            ## Arithmetic

            \(table(PredicateTerm.arithmetic))
            \(numbers)
            ## Functions

            If an argument is nil, the result is nil, except for `coalesce`.

            \(table(functions.filter { !$0.isOfGeneratedRecords }))
            These functions of a to-many key path are other spellings of \
            [its operators](#many-objects-and-lists):

            \(table(PredicateTerm.collectionFunctions))
            These functions work only in imports that generate records (`read.generate`). Equal \
            seeds give equal values:

            \(table(functions.filter(\.isOfGeneratedRecords)))
            ## Many objects, and lists

            \(table(PredicateTerm.collections))
            ## Differences from NSPredicate

            \(differences)
            ## Keys that are named like keywords

            If the name of a key is one of these words, in any case, write `#` before it, such as \
            `#no == 5`. After a dot, as in `owner.no`, no `#` is needed:

            \(reserved)

            """
    }

    private static let numbers = """
        Integers are numbers without a point and an exponent, also in records: `3` is an \
        integer, `3.0` and `1e1` are not, although `3.0 == 3`. `cast(x, 'Double')` converts \
        an integer to a Double, so that `/` keeps the remainder.

        Arithmetic with Decimal attributes uses doubles of 15 to 17 digits, also in `set` of \
        an update, unless the store has [`exact-decimals`](spec.md#store).

        """

    private static let objectNumbers = """
        ## The number of an object

        `objectID` is the primary key of an object (`Z_PK`), an integer. Use it like an \
        attribute: `objectID == 42`, `objectID IN {1, 2}`, `category.objectID == 3`, or \
        `ANY tags.objectID == 7`. SQLite finds these objects by the primary key, without an \
        index. The number is also a field of `fetch` and of an export, a key of an order, and \
        a key of a link.

        - If the entity has a property named `objectID`, the key is that property. \
        `#objectID` is the number in every entity.
        - Numbers count per entity together with its sub-entities, so two objects of \
        unrelated entities can have the same number.
        - The store assigns the number when it saves the object. An object gets another \
        number in another store, so use an attribute as the key between stores.
        - A record has no number. In `keep-if` and `expr`, `objectID` is a field like any other.

        """

    private static func table(_ terms: [PredicateTerm]) -> String {
        var text = "| written | means | example |\n|---|---|---|\n"
        for term in terms {
            let spellings = term.spellings.map { "`\($0)`" }.joined(separator: ", ")
            text += row([spellings, term.meaning, "`\(term.example)`"])
        }
        return text
    }

    private static func table(_ functions: [PredicateFunction]) -> String {
        var text = "| function | gives | example |\n|---|---|---|\n"
        for function in functions {
            let result = function.exampleResult.map { " is `\($0)`" } ?? ""
            text += row(["`\(function.usage)`", function.meaning, "`\(function.example)`\(result)"])
        }
        return text
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.map(cell).joined(separator: " | ") + " |\n"
    }

    /// Escapes only `|`: other characters in code need no escape.
    private static func cell(_ text: String) -> String { text.replacing("|", with: #"\|"#) }
}
