extension PredicateErrorTests {
    /// The output for formats that are not valid for the model: message, format, caret.
    static let meaningErrors = #"""
        There is no function 'lenght'. Did you mean 'length'? [predicate.function]
          title == lenght(title)
                   ^

        'length' takes 1 argument, not 2 [predicate.function]
          length(title, 2) > 1
          ^

        'length' needs text, not a number [predicate.function]
          length(priority) > 1
                 ^

        'substring' needs a number, not text [predicate.function]
          substring(title, 'a') == 'x'
                           ^

        cast needs the name of an attribute's type, such as 'Integer 64' [predicate.function]
          cast(title, 'Integer') == 1
                      ^

        FUNCTION(…) calls methods by name, which is not allowed [predicate.function]
          FUNCTION(title, 'length') > 1
          ^

        'Task' has no property 'titel'. Did you mean 'title'? [predicate.unknown-key]
          titel == 'x'
          ^

        'Person' has no property 'nmae'. Did you mean 'name'? [predicate.unknown-key]
          owner.nmae == 'x'
          ^

        'Tag' has no property 'nmae'. Did you mean 'name'? [predicate.unknown-key]
          SUBQUERY(tags, $t, $t.nmae == 'x').@count > 0
                             ^

        'title' of 'Task' is an attribute and has no keys [predicate.unknown-key]
          title.size > 1
          ^

        'draft' of 'Task' is transient, so its values are not stored [predicate.unsupported]
          draft == 'x'
          ^

        A number cannot be compared with text ("high") [predicate.type]
          priority > 'high'
                     ^

        Text cannot be compared with a number (5) [predicate.type]
          title == 5
                   ^

        A number cannot be compared with text ("x") [predicate.type]
          'x' == priority
          ^

        'tomorrow' is not a date; write one such as "2026-01-31" or "2026-01-31T18:30:00Z" [predicate.type]
          dueDate > 'tomorrow'
                    ^

        A boolean cannot be compared with a number (2) [predicate.type]
          isCompleted == 2
                         ^

        BETWEEN needs a list of two bounds: {1, 5} [predicate.type]
          priority BETWEEN {1}
                           ^

        A number cannot be compared with text ("two") [predicate.type]
          priority IN {1, 'two'}
                          ^

        IN needs a list, a collection, or a text on its right, not a number [predicate.type]
          priority IN 5
                      ^

        A number cannot be compared with text ("a") [predicate.type]
          priority BETWEEN {'a', 'b'}
                            ^

        Arithmetic needs numbers, not text [predicate.type]
          title + 1 == 2
          ^

        Arithmetic needs numbers, not text [predicate.type]
          -title == 1
           ^

        CONTAINS compares text, not a number [predicate.type]
          priority CONTAINS 'x'
          ^

        CONTAINS compares text, not binary data [predicate.type]
          photo CONTAINS 'x'
          ^

        Look-ahead and look-behind are not supported (column 2 of the pattern) [predicate.type]
          title MATCHES 'a(?=b)'
                        ^

        '[' is not closed (column 1 of the pattern) [predicate.type]
          title MATCHES '['
                        ^

        A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count [predicate.to-many]
          tags.name == 'x'
          ^

        ANY needs a to-many key path after it [predicate.to-many]
          ANY title == 'x'
              ^

        A to-many key path needs ANY, ALL, or NONE before it, or an operator such as @count [predicate.to-many]
          tags == nil
          ^

        'Person' has no property 'tags' [predicate.unknown-key]
          owner.tags.name == 'x'
          ^

        @count needs a to-many key path before it [predicate.to-many]
          title.@count > 1
          ^

        @sum needs numbers, not text [predicate.type]
          tags.@sum.name > 1
               ^

        @max cannot order an object (Task) [predicate.type]
          tags.@max.tasks > 1
               ^

        SUBQUERY needs a collection or a list, not an object (Person) [predicate.to-many]
          SUBQUERY(owner, $o, $o.name == 'x').@count > 0
                   ^

        An object (Task) cannot be compared with text ("x") [predicate.type]
          SELF == 'x'
                  ^

        Objects have no order [predicate.type]
          owner > owner
          ^

        Objects have no order [predicate.type]
          owner BETWEEN {1, 2}
          ^

        This collection has no order, so it has no element by index [predicate.to-many]
          tags[FIRST] == nil
              ^

        An index needs an ordered relationship or a list before it, not text [predicate.type]
          title[0] == 'x'
               ^

        An index is a whole number; maps with keys are not supported [predicate.type]
          steps['a'] == nil
                ^

        An index is a whole number from 0, not a number (-1) [predicate.type]
          steps[-1] == nil
                ^

        'Task' has no property 'titel'. Did you mean 'title'? [predicate.unknown-key]
          steps[FIRST].titel == 'x'
               ^

        @allKeys is of maps; entities have attributes and relationships [predicate.unsupported]
          owner.@allKeys == 'x'
          ^

        The variables '$a', '$b', '$c' have no values [predicate.variable]
          priority > $a AND title == $b AND SUBQUERY(tags, $t, $t.name == $c).@count > 0
                     ^

        The variable '$limti' has no value. Did you mean 'limit'? [predicate.variable]
          priority > $limti
                     ^

        '$limit' is a value and has no keys [predicate.variable]
          $limit.x == 1
          ^

        A number cannot be compared with a list [predicate.type]
          priority == $list
                      ^

        CONTAINS compares text, not a number [predicate.type]
          ANY tags.name CONTAINS 5
                                 ^

        The alternatives are of different types, text and a number [predicate.type]
          TERNARY(priority > 1, 'a', 2) == 'a'
                                     ^

        'join' needs a list of texts, not text [predicate.function]
          join(title, ',') == 'a'
               ^

        A number cannot be compared with text ("x") [predicate.type]
          tags.name.@count > 'x'
                             ^
        """#
}
