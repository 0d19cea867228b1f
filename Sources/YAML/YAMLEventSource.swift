import CLibYAML

/// An event of libyaml, with a copy of its text.
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentEnd, sequenceEnd, mappingEnd
        case documentStart(version: (major: Int, minor: Int)?)
        case alias(String)
        case scalar(text: String, isPlain: Bool)
        case sequenceStart
        case mappingStart
    }

    var kind: Kind
    var mark: YAMLMark
    var anchor: String?
    /// The resolved tag: `!!str` is `tag:yaml.org,2002:str`.
    var tag: String?
}

/// A syntax error reported by libyaml.
struct YAMLSyntaxError: Error {
    var problem: String
    /// The parser's activity, such as `while parsing a block mapping`.
    var context: String?
    var contextMark: YAMLMark?
    var mark: YAMLMark
}

/// A libyaml parser and the bytes that it reads.
final class YAMLEventSource {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// Creates a source for UTF-8 without a byte order mark.
    init(_ bytes: ArraySlice<UInt8>) {
        parser = .allocate(capacity: 1)
        input = .allocate(capacity: max(bytes.count, 1))
        _ = input.initialize(from: bytes)
        yaml_parser_initialize(parser)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// Returns the next event.
    func next() throws(YAMLSyntaxError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
        defer { yaml_event_delete(&event) }
        let mark = Self.mark(event.start_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let version = event.data.document_start.version_directive.map {
                (Int($0.pointee.major), Int($0.pointee.minor))
            }
            return YAMLEvent(kind: .documentStart(version: version), mark: mark)
        case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, mark: mark)
        case YAML_ALIAS_EVENT:
            let name = Self.text(event.data.alias.anchor) ?? ""
            return YAMLEvent(kind: .alias(name), mark: mark)
        case YAML_SCALAR_EVENT: return Self.scalar(event.data.scalar, mark)
        case YAML_SEQUENCE_START_EVENT:
            let data = event.data.sequence_start
            return YAMLEvent(
                kind: .sequenceStart, mark: mark, anchor: Self.text(data.anchor),
                tag: Self.text(data.tag))
        case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, mark: mark)
        case YAML_MAPPING_START_EVENT:
            let data = event.data.mapping_start
            return YAMLEvent(
                kind: .mappingStart, mark: mark, anchor: Self.text(data.anchor),
                tag: Self.text(data.tag))
        case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, mark: mark)
        case YAML_STREAM_START_EVENT: return YAMLEvent(kind: .streamStart, mark: mark)
        default: return YAMLEvent(kind: .streamEnd, mark: mark)
        }
    }

    private typealias ScalarData = yaml_event_s.__Unnamed_union_data.__Unnamed_struct_scalar

    private static func scalar(_ data: ScalarData, _ mark: YAMLMark) -> YAMLEvent {
        let bytes = UnsafeBufferPointer(start: data.value, count: data.length)
        return YAMLEvent(
            kind: .scalar(
                text: String(decoding: bytes, as: UTF8.self),
                isPlain: data.style == YAML_PLAIN_SCALAR_STYLE),
            mark: mark, anchor: text(data.anchor), tag: text(data.tag))
    }

    private static func text(_ characters: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        characters.map { String(cString: $0) }
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
        YAMLMark(line: mark.line + 1, column: mark.column + 1)
    }

    private func syntaxError() -> YAMLSyntaxError {
        let state = parser.pointee
        if state.error == YAML_READER_ERROR {
            let before = input.prefix(state.problem_offset)
            return YAMLSyntaxError(
                problem: state.problem.map { String(cString: $0) } ?? "unreadable input",
                mark: YAMLText.mark(after: before))
        }
        return YAMLSyntaxError(
            problem: state.problem.map { String(cString: $0) } ?? "out of memory",
            context: state.context.map { String(cString: $0) },
            contextMark: state.context == nil ? nil : Self.mark(state.context_mark),
            mark: Self.mark(state.problem_mark))
    }
}
