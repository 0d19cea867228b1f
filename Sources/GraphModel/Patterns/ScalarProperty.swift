/// A property of Unicode scalars in patterns.
struct ScalarProperty: Hashable {
    /// The name in lowercase, without spaces, hyphens, and underscores.
    let name: String
    private let test: @Sendable (Unicode.Scalar) -> Bool

    private init(_ name: String, _ test: @escaping @Sendable (Unicode.Scalar) -> Bool) {
        self.name = name
        self.test = test
    }

    static func == (left: ScalarProperty, right: ScalarProperty) -> Bool {
        left.name == right.name
    }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    func holds(_ scalar: Unicode.Scalar) -> Bool { test(scalar) }

    /// Creates the property with the name as in `\p{…}`, such as `Lu`, `Letter`, or `White_Space`.
    init?(named name: String) {
        let key = Self.key(name)
        guard let test = Self.tests[key] else { return nil }
        self.init(key, test)
    }

    /// `\w`: letters, marks, decimal digits, connectors such as `_`, and joiners.
    static let word = ScalarProperty("word", isWord)
    /// `\d`.
    static let digit = ScalarProperty("nd") { $0.properties.generalCategory == .decimalNumber }
    /// `\s`.
    static let space = ScalarProperty("whitespace") { $0.properties.isWhitespace }
    /// `\h`: a tab, or a space of any width.
    static let blank = ScalarProperty("blank", isBlank)
    /// `\v`: a line terminator.
    static let lineTerminator = ScalarProperty("lineterminator", isLineTerminator)

    static func key(_ name: String) -> String {
        String(name.lowercased().filter { $0 != " " && $0 != "_" && $0 != "-" })
    }

    @Sendable static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 {
            return (scalar.value | 0x20) &- 0x61 < 26 || scalar.value &- 0x30 < 10
                || scalar.value == 0x5F
        }
        if scalar.properties.isAlphabetic { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
            return true
        default: return scalar.properties.isJoinControl
        }
    }

    @Sendable static func isLineTerminator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    @Sendable private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar.properties.generalCategory == .spaceSeparator
    }

    private typealias Test = @Sendable (Unicode.Scalar) -> Bool

    private static let tests: [String: Test] = {
        var tests = binary
        for (names, categories) in generalCategories {
            for name in names {
                tests[key(name)] = { categories.contains($0.properties.generalCategory) }
            }
        }
        return tests
    }()

    private static let binary: [String: Test] = [
        "any": { _ in true }, "ascii": { $0.isASCII },
        "assigned": { $0.properties.generalCategory != .unassigned },
        "alphabetic": { $0.properties.isAlphabetic }, "alpha": { $0.properties.isAlphabetic },
        "uppercase": { $0.properties.isUppercase }, "upper": { $0.properties.isUppercase },
        "lowercase": { $0.properties.isLowercase }, "lower": { $0.properties.isLowercase },
        "whitespace": { $0.properties.isWhitespace }, "space": { $0.properties.isWhitespace },
        "wspace": { $0.properties.isWhitespace },
        "digit": { $0.properties.generalCategory == .decimalNumber },
        "alnum": {
            $0.properties.isAlphabetic || $0.properties.generalCategory == .decimalNumber
        },
        "word": isWord, "blank": isBlank,
        "xdigit": { $0.properties.isHexDigit }, "hexdigit": { $0.properties.isHexDigit },
        "asciihexdigit": { $0.properties.isASCIIHexDigit },
        "graph": { isGraph($0) },
        "print": { isGraph($0) || isBlank($0) && $0 != "\t" },
        "cased": { $0.properties.isCased }, "dash": { $0.properties.isDash },
        "diacritic": { $0.properties.isDiacritic }, "emoji": { $0.properties.isEmoji },
        "emojipresentation": { $0.properties.isEmojiPresentation },
        "emojimodifier": { $0.properties.isEmojiModifier },
        "ideographic": { $0.properties.isIdeographic }, "math": { $0.properties.isMath },
        "idstart": { $0.properties.isIDStart }, "idcontinue": { $0.properties.isIDContinue },
        "xidstart": { $0.properties.isXIDStart },
        "xidcontinue": { $0.properties.isXIDContinue },
        "joincontrol": { $0.properties.isJoinControl },
        "quotationmark": { $0.properties.isQuotationMark },
        "defaultignorablecodepoint": { $0.properties.isDefaultIgnorableCodePoint },
        "noncharactercodepoint": { $0.properties.isNoncharacterCodePoint },
        "patternwhitespace": { $0.properties.isPatternWhitespace },
    ]

    private static func isGraph(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .unassigned: false
        default: !scalar.properties.isWhitespace
        }
    }

    private static let generalCategories: [([String], Set<Unicode.GeneralCategory>)] = {
        let letters: Set<Unicode.GeneralCategory> = [
            .uppercaseLetter, .lowercaseLetter, .titlecaseLetter,
        ]
        return [
            (["L", "Letter"], letters.union([.modifierLetter, .otherLetter])),
            (["LC", "Cased_Letter", "L&"], letters),
            (["Lu", "Uppercase_Letter"], [.uppercaseLetter]),
            (["Ll", "Lowercase_Letter"], [.lowercaseLetter]),
            (["Lt", "Titlecase_Letter"], [.titlecaseLetter]),
            (["Lm", "Modifier_Letter"], [.modifierLetter]),
            (["Lo", "Other_Letter"], [.otherLetter]),
            (
                ["M", "Mark", "Combining_Mark"],
                [.nonspacingMark, .spacingMark, .enclosingMark]
            ),
            (["Mn", "Nonspacing_Mark"], [.nonspacingMark]),
            (["Mc", "Spacing_Mark"], [.spacingMark]),
            (["Me", "Enclosing_Mark"], [.enclosingMark]),
            (["N", "Number"], [.decimalNumber, .letterNumber, .otherNumber]),
            (["Nd", "Decimal_Number"], [.decimalNumber]),
            (["Nl", "Letter_Number"], [.letterNumber]),
            (["No", "Other_Number"], [.otherNumber]),
            (
                ["P", "Punctuation", "punct"],
                [
                    .connectorPunctuation, .dashPunctuation, .openPunctuation,
                    .closePunctuation, .initialPunctuation, .finalPunctuation,
                    .otherPunctuation,
                ]
            ),
            (["Pc", "Connector_Punctuation"], [.connectorPunctuation]),
            (["Pd", "Dash_Punctuation"], [.dashPunctuation]),
            (["Ps", "Open_Punctuation"], [.openPunctuation]),
            (["Pe", "Close_Punctuation"], [.closePunctuation]),
            (["Pi", "Initial_Punctuation"], [.initialPunctuation]),
            (["Pf", "Final_Punctuation"], [.finalPunctuation]),
            (["Po", "Other_Punctuation"], [.otherPunctuation]),
            (
                ["S", "Symbol"],
                [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
            ),
            (["Sm", "Math_Symbol"], [.mathSymbol]),
            (["Sc", "Currency_Symbol"], [.currencySymbol]),
            (["Sk", "Modifier_Symbol"], [.modifierSymbol]),
            (["So", "Other_Symbol"], [.otherSymbol]),
            (
                ["Z", "Separator"],
                [.spaceSeparator, .lineSeparator, .paragraphSeparator]
            ),
            (["Zs", "Space_Separator"], [.spaceSeparator]),
            (["Zl", "Line_Separator"], [.lineSeparator]),
            (["Zp", "Paragraph_Separator"], [.paragraphSeparator]),
            (
                ["C", "Other"],
                [.control, .format, .surrogate, .privateUse, .unassigned]
            ),
            (["Cc", "Control", "cntrl"], [.control]), (["Cf", "Format"], [.format]),
            (["Cs", "Surrogate"], [.surrogate]), (["Co", "Private_Use"], [.privateUse]),
            (["Cn", "Unassigned"], [.unassigned]),
        ]
    }()
}
