extension PredicatePages {
    /// The regular expression syntax of `MATCHES` and the model's `pattern`.
    static let patterns = #"""
        `MATCHES` and the `pattern` of a model match the complete string, Unicode scalar by \#
        Unicode scalar. The time is linear in the length of the string: each character needs at \#
        most one step per state of the expression. The syntax is that of ICU and `NSPredicate`, \#
        except for features that need more time:

        | written | matches |
        |---|---|
        | `a`, `\.`, `\t`, `\n`, `\r`, `\f`, `\a`, `\e`, `\cA` | the character |
        | `\x41`, `\u0041`, `\U00000041`, `\x{41}`, `\u{41}`, `\0101` | the character with that code |
        | `\Qa.b\E` | the literal string `a.b` |
        | `.` | any character that does not end a line; with `(?s)`, any character |
        | `[a-z_]`, `[^a-z]` | a character of the class, or one that is not in it |
        | `[a-z&&[^b]]`, `[a-z--b]`, `[a[0-9]]` | intersection, difference, and union of classes |
        | `[\p{L}&[a-z]]`, `[[a-z]-[aeiou]]` | the same operators after a class or a property, for the \#
        next class only. Elsewhere, `&`, and `-` that is not between two characters, are literal: \#
        `[abc-[def]]` has a `-` |
        | `[]a]`, `[^]a]` | a `]` at the start is literal |
        | `\d`, `\s`, `\h`, `\v` | a decimal digit, white space, a space or tab, the end of a line |
        | `\w` | a word character: a letter, mark, decimal digit, or connector such as `_` |
        | `\D`, `\S`, `\H`, `\V`, `\W` | a character that the same letter in lower case does not \#
        match |
        | `\p{Lu}`, `\p{Letter}`, `\p{Greek}`, `\p{White_Space}`, `[[:alpha:]]` | a character of \#
        that category, script, or property; `\P{…}` is any other |
        | `\R` | the end of a line, `\r\n` too |
        | `a|b`, `(a)`, `(?:a)`, `(?<name>a)` | either; a group |
        | `a?`, `a*`, `a+`, `a{2}`, `a{2,}`, `a{2,5}` | repetitions; a `?` after one, which makes it \#
        lazy, changes nothing |
        | `^`, `$`, `\A`, `\z`, `\Z` | the start and the end of the string; with `(?m)`, `^` and \#
        `$` also match at each line |
        | `\b`, `\B` | a position between a word character and another character, or any other position |
        | `(?i)`, `(?i:a)`, `(?-i)` | ignores case, by simple case folding, to the end of the group. \#
        A class also contains the other cases of its characters: `(?i)\p{Lu}` is `a` or `A`. \#
        Negation comes after this: `(?i)\P{Lu}` and `(?i)[^a]` are neither `a` nor `A` |
        | `(?s)`, `(?m)`, `(?x)` | see above; `(?x)` ignores white space and comments after `#`, \#
        also in classes |

        These are rejected with their column:

        - back-references (`\1`), look-ahead, and look-behind
        - atomic groups and possessive quantifiers (`a*+`)
        - escapes of other letters such as `\q`
        - `&-z` in a class, which ICU reads in another way
        - more than 10,000 states; a counted repetition has as many as its written-out form
        - more than 10,000 operators, properties, and nested classes in classes
        - groups more than 100 deep

        Two more differences from ICU: `[\b]` is a backspace, and characters after `-[…]` or \#
        `&[…]` are added to the result. In a model, a rejected pattern causes a warning. The \#
        model keeps it, also in a model for Xcode, but values are not checked.

        """#.replacing("|b`", with: "\\|b`")
}
