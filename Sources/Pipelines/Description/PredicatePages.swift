import GraphModel

/// The page of predicates and expressions, generated from the parser's tables.
enum PredicatePages {
    static func text() -> String {
        let functions = PredicateFunction.all
        let reserved = PredicateKeywords.reserved.map { "`\($0)`" }.joined(separator: " ")
        return """
            # Predicates and expressions

            A predicate says which objects or records are meant: `where`, `keep-if`, `fetch --where`, \
            and the rules of a model. An expression gives a value: `expr` of an import, and `set` \
            of an update. Both are written as `NSPredicate` has them, and are checked before \
            anything runs, with the place of each mistake.

            | written | is |
            |---|---|
            | `title`, `category.name` | a key: an attribute, or one behind relationships; of a \
            record, a field |
            | `'text'`, `"text"` | a text; `\\'` is a quotation mark in it |
            | `12`, `1.5`, `1e3`, `0x1F` | a number |
            | `{1, 2}` | a list |
            | `cast('2026-01-31', 'Date')` | a date, wherever one is wanted, in `set` of an \
            update too; a UUID likewise. Compared with a date, a text such as `'2026-01-31'` will do |
            | `$now`, `$today`, `$name` | the moment and the day of the run; a parameter of the \
            spec, or a value of `fetch --set`; a list for `IN` is a parameter of the type `list`, or \
            several `--set` of one name |
            | `#no` | the key `no`, which would be a keyword; `#'any text'` likewise |
            | `objectID`, `category.objectID` | the number of an object: its primary key, `Z_PK` |
            | `( )` | what belongs together |

            Words mean the same in any case. The examples are over the tasks of \
            [`pipelines`](../../pipelines/task-model.yaml).

            A field that a record lacks is nil. One that is a list or an object is not, and only \
            that can be asked of it: `tags == nil`, `tags != nil`. Any other use of it is an \
            error, which rejects the record with the code `expr`.

            ## The number of an object

            `objectID` is the primary key of an object (`Z_PK`), a whole number. Use it like an \
            attribute: `objectID == 42`, `objectID IN {1, 2}`, `category.objectID == 3`, or \
            `ANY tags.objectID == 7`. SQLite finds such objects by the primary key, without an \
            index. The number is also a field of `fetch` and of an export, a key of an order, and \
            a key of a link.

            - If the entity has a property named `objectID`, the key is that property. \
            `#objectID` is the number in every entity.
            - Numbers count per entity together with its sub-entities, so two objects of \
            unrelated entities can have the same number.
            - The store assigns the number when it saves the object. An object gets another \
            number in another store, so use an attribute as the key between stores.
            - A record has no number. In `keep-if` and `expr`, `objectID` is a field like any other.

            ## Comparisons

            \(table(PredicateTerm.comparisons))
            Behind an operator on texts, letters in brackets say how it compares; without them, \
            character by character:

            \(table(PredicateTerm.options))
            ## Regular expressions

            \(patterns)
            ## Conditions

            \(table(PredicateTerm.connectives + PredicateTerm.modifiers))
            ## Words that are values

            \(table(PredicateTerm.constants))
            ## Arithmetic

            \(table(PredicateTerm.arithmetic))
            Whole numbers are those that are written without a point and an exponent, in records \
            as here: `3` is one, `3.0` and `1e1` are not, though `3.0 == 3`. \
            `cast(x, 'Double')` makes the others of whole ones, so that `/` keeps the rest.

            With Decimal attributes it is the arithmetic of doubles, of 15 to 17 digits, also in \
            `set` of an update, unless the store has [`exact-decimals`](spec.md#store).

            ## Functions

            An argument that is nil gives nil, except of `coalesce`.

            \(table(functions.filter { !$0.isOfGeneratedRecords }))
            These make values of records that an import generates (`read.generate`), and of \
            nothing else; equal seeds give equal values:

            \(table(functions.filter(\.isOfGeneratedRecords)))
            ## Many objects, and lists

            \(table(PredicateTerm.collections))
            ## Differences from NSPredicate

            \(differences)
            ## Keys that are named like keywords

            A key whose name is one of these words, in any case, is written with `#` before it, \
            such as `#no == 5`; behind a dot, as in `owner.no`, it needs none:

            \(reserved)

            """
    }

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
