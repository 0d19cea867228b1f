extension PredicateErrorTests {
    /// The output for formats that do not parse: message, format, caret.
    static let syntaxErrors = #"""
        A value is missing at the end [predicate.syntax]
          title ==
                  ^

        'title' alone is not a condition; compare it, as in '== YES' or '!= nil' [predicate.syntax]
          title
          ^

        An operator is missing before this value [predicate.syntax]
          title 'x'
                ^

        A value is missing before '==' [predicate.syntax]
          title == == 'x'
                   ^

        A comparison ends here; join it with AND or OR [predicate.syntax]
          title == 'x' == 'y'
                       ^

        A value is missing at the end [predicate.syntax]
          title == 'x' AND
                          ^

        'AND' is a keyword; a key of that name is written #AND [predicate.syntax]
          AND title == 'x'
          ^

        The quoted text is not closed [predicate.syntax]
          title == 'x
                   ^

        ')' is missing [predicate.syntax]
          (title == 'x'
          ^

        AND, OR, or the end is expected here [predicate.syntax]
          title == 'x')
                      ^

        A list is written in braces: {1, 2} [predicate.syntax]
          title IN ('a', 'b')
                   ^

        [l] compares by locale, which differs between machines; there are c, d, and n [predicate.syntax]
          title CONTAINS[l] 'x'
                         ^

        'q' is not an option; the options are c, d, and n [predicate.syntax]
          title CONTAINS[cq] 'x'
                         ^

        A number ends in a letter [predicate.syntax]
          priority == 12abc
                        ^

        The number is too large [predicate.syntax]
          priority == 0xFFFFFFFFFFFFFFFFF
                      ^

        Half of a surrogate pair is not a character [predicate.syntax]
          title == '\uD800'
                    ^

        '?' has no meaning here [predicate.syntax]
          title ? 'x'
                ^

        There is no collection operator '@cuont'. Did you mean '@count'? [predicate.syntax]
          title.@cuont > 1
                ^

        @count counts objects; no key follows it [predicate.syntax]
          tags.@count.name > 1
               ^

        FIRST, LAST, SIZE, or a number is missing in the brackets [predicate.syntax]
          tags[] == nil
               ^

        A constant has no keys [predicate.syntax]
          5.name == 1
          ^

        There is no argument for %@ [predicate.argument]
          title == %@ AND title == %@
                                   ^

        There are more arguments than placeholders [predicate.argument]
          title == 'x' AND 1 == 1 AND 'a%' == 'a'
                                                 ^

        The argument for %d must be a number [predicate.argument]
          %d == priority
          ^

        Placeholders are %@, %K, %d, %i, %u, %x, %ld, %lu, %f, and %g [predicate.syntax]
          title == %q
                   ^

        The predicate is nested too deeply [predicate.too-deep]
          a == ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1
                                                                               ^

        A variable such as $x is expected here [predicate.syntax]
          SUBQUERY(tags, x, x.name == 1).@count > 0
                         ^

        A value is missing at the end [predicate.syntax]
          ANY tags.name LIKE 'a' OR
                                   ^

        'NOT' is a keyword; a key of that name is written #NOT [predicate.syntax]
          NOT == 1
          ^

        A comparison is missing [predicate.syntax]
          title NOT == 'x'
                    ^

        AND, OR, or the end is expected here [predicate.syntax]
          title == 'x' title == 'y'
                       ^

        '@count' needs a key path before it: tasks.@count [predicate.syntax]
          @count > 1
          ^

        A name is missing after '#' [predicate.syntax]
          #
          ^

        A name is missing after '$' [predicate.syntax]
          $ == 1
          ^

        The quoted text is not closed [predicate.syntax]
          title == #'
                    ^

        'in' is a keyword; a key of that name is written #in [predicate.syntax]
          in == 1
          ^

        A value is needed here, not a condition [predicate.syntax]
          (title == 'x') > 2
          ^

        ')' is expected here [predicate.syntax]
          abs(isCompleted == YES) > 1
                          ^
        """#
}
