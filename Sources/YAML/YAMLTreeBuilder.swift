import Diagnostics

/// A builder of nodes from events, by recursive descent no deeper than the limit.
struct YAMLTreeBuilder {
    /// An error that ends the parse; the problem is already reported.
    private struct Stop: Error {}

    /// A finished node with its node count and height, which are counted again for each alias.
    private struct Built {
        var node: YAMLNode
        var nodeCount: Int
        var height: Int
    }

    private let source: YAMLEventSource
    private let problems: YAMLProblems
    private let limits: YAMLLimits
    private var anchors: [String: Built] = [:]
    private var openAnchors: Set<String> = []
    private var nodeCount = 0

    init(_ source: YAMLEventSource, _ problems: YAMLProblems, _ limits: YAMLLimits) {
        self.source = source
        self.problems = problems
        self.limits = limits
    }

    /// Returns the only document of the stream.
    mutating func document() -> YAMLNode? {
        do {
            return try readDocument()
        } catch {
            return nil
        }
    }

    private mutating func readDocument() throws(Stop) -> YAMLNode {
        _ = try next("")
        let start = try next("")
        guard case .documentStart(let version) = start.kind else {
            throw stop("yaml.empty", "The file holds no document", start.mark, "")
        }
        if let version, version != (1, 2) {
            report(
                "yaml.version", "The document says YAML \(version.major).\(version.minor), not 1.2",
                start.mark, "", fix: "remove the %YAML line")
        }
        let root = try build(try next(""), path: "", depth: 0)
        _ = try next("")
        let end = try next("")
        guard case .streamEnd = end.kind else {
            throw stop(
                "yaml.documents", "A second document begins here", end.mark, "",
                fix: "keep one document per file")
        }
        return root.node
    }

    private func next(_ path: String) throws(Stop) -> YAMLEvent {
        do {
            return try source.next()
        } catch {
            var message = error.problem.prefix(1).uppercased() + error.problem.dropFirst()
            if let context = error.context, let mark = error.contextMark {
                message += ", \(context) that begins at line \(mark.line)"
            }
            throw stop(
                "yaml.syntax", message, error.mark, path, fix: Self.hint(for: error.problem))
        }
    }

    /// Returns a fix for the most likely cause of a syntax error.
    private static func hint(for problem: String) -> String? {
        if problem.contains("cannot start any token") {
            return "indent with spaces, and put text that begins with @, `, %, or a tab in quotes"
        }
        // For example, `files: -` for standard input.
        return problem.contains("lock sequence entries are not allowed")
            ? "begin a list on its own line, and put a hyphen that is text in quotes: \"-\""
            : nil
    }

    private mutating func build(
        _ event: YAMLEvent, path: String, depth: Int
    ) throws(Stop) -> Built {
        try count(1, event.mark, path)
        if let anchor = event.anchor { openAnchors.insert(anchor) }
        let built: Built
        switch event.kind {
        case .alias(let name): return try follow(name, event.mark, path: path, depth: depth)
        case .scalar(let text, let isPlain):
            let scalar = scalar(text, isPlain, event, path)
            built = Built(node: YAMLNode(.scalar(scalar), at: event.mark), nodeCount: 1, height: 0)
        case .sequenceStart:
            try checkDepth(depth + 1, event.mark, path)
            checkTag(event, allowed: "seq", path)
            built = try sequence(event.mark, path: path, depth: depth + 1)
        default:
            try checkDepth(depth + 1, event.mark, path)
            checkTag(event, allowed: "map", path)
            built = try mapping(event.mark, path: path, depth: depth + 1)
        }
        if let anchor = event.anchor {
            openAnchors.remove(anchor)
            anchors[anchor] = built
        }
        return built
    }

    private mutating func sequence(
        _ mark: YAMLMark, path: String, depth: Int
    ) throws(Stop) -> Built {
        var items: [YAMLNode] = []
        var total = 1
        var height = 0
        while true {
            let event = try next(path)
            if case .sequenceEnd = event.kind { break }
            let itemPath = YAMLKeyPath.path(path, index: items.count)
            let item = try build(event, path: itemPath, depth: depth)
            items.append(item.node)
            total += item.nodeCount
            height = max(height, item.height)
        }
        return Built(
            node: YAMLNode(.sequence(items), at: mark), nodeCount: total, height: height + 1)
    }

    private mutating func mapping(
        _ mark: YAMLMark, path: String, depth: Int
    ) throws(Stop) -> Built {
        var entries: [YAMLEntry] = []
        var marks: [String: YAMLMark] = [:]
        var total = 1
        var height = 0
        while true {
            let keyEvent = try next(path)
            if case .mappingEnd = keyEvent.kind { break }
            let key = try key(keyEvent, path, depth: depth)
            let keyPath = key.map { YAMLKeyPath.path(path, key: $0) } ?? path
            let value = try build(try next(keyPath), path: keyPath, depth: depth)
            total += value.nodeCount + 1
            height = max(height, value.height)
            guard let key else { continue }
            if let first = marks.updateValue(keyEvent.mark, forKey: key) {
                marks[key] = first
                report(
                    "yaml.duplicate-key", "The key '\(key)' is already on line \(first.line)",
                    keyEvent.mark, keyPath, fix: "keep one of the two")
            } else {
                entries.append(YAMLEntry(key: key, keyMark: keyEvent.mark, value: value.node))
            }
        }
        return Built(
            node: YAMLNode(.mapping(entries), at: mark), nodeCount: total, height: height + 1)
    }

    /// Returns the text of a key; `nil` if the key is invalid, which has been reported.
    ///
    /// The caller then omits the key and its value.
    private mutating func key(
        _ event: YAMLEvent, _ path: String, depth: Int
    ) throws(Stop) -> String? {
        let built = try build(event, path: path, depth: depth)
        guard case .scalar(let scalar) = built.node.content else {
            report("yaml.key", "A key must be text, not a list or a mapping", event.mark, path)
            return nil
        }
        if scalar.isPlain, scalar.text == "<<" {
            report(
                "yaml.merge-key", "Merge keys are not part of YAML 1.2", event.mark, path,
                fix: "write the keys out, or use an alias for the complete value")
            return nil
        }
        return scalar.text
    }

    private mutating func follow(
        _ name: String, _ mark: YAMLMark, path: String, depth: Int
    ) throws(Stop) -> Built {
        guard !openAnchors.contains(name) else {
            throw stop(
                "yaml.alias", "The alias '*\(name)' is inside its own anchor", mark, path)
        }
        guard var built = anchors[name] else {
            throw stop("yaml.alias", "No anchor '&\(name)' precedes this alias", mark, path)
        }
        try count(built.nodeCount - 1, mark, path)
        try checkDepth(depth + built.height, mark, path)
        built.node.mark = mark
        return built
    }

    private mutating func count(
        _ added: Int, _ mark: YAMLMark, _ path: String
    ) throws(Stop) {
        nodeCount += added
        guard nodeCount > limits.nodesMax else { return }
        throw stop(
            "yaml.too-many-nodes",
            "The document has more than \(limits.nodesMax) nodes once its aliases are followed",
            mark, path)
    }

    private func checkDepth(_ depth: Int, _ mark: YAMLMark, _ path: String) throws(Stop) {
        guard depth > limits.depthMax else { return }
        throw stop(
            "yaml.too-deep",
            "Lists and mappings are nested more than \(limits.depthMax) levels deep", mark, "")
    }
}

extension YAMLTreeBuilder {
    private static let coreTags = "tag:yaml.org,2002:"

    private func checkTag(_ event: YAMLEvent, allowed: String, _ path: String) {
        guard let tag = event.tag, tag != "!", tag != Self.coreTags + allowed else { return }
        reportTag(tag, event.mark, path)
    }

    private func scalar(
        _ text: String, _ isPlain: Bool, _ event: YAMLEvent, _ path: String
    ) -> YAMLScalar {
        let resolved = YAMLScalar(plain: text)
        guard let tag = event.tag else { return isPlain ? resolved : YAMLScalar(text: text) }
        let name =
            tag.hasPrefix(Self.coreTags) ? String(tag.dropFirst(Self.coreTags.count)) : tag
        let fits =
            switch (name, resolved.value) {
            case ("str", _), ("!", _): true
            case ("int", .integer), ("float", .integer), ("float", .real): true
            case ("bool", .boolean), ("null", .null): true
            default: false
            }
        guard fits else {
            reportTag(tag, event.mark, path)
            return isPlain ? resolved : YAMLScalar(text: text)
        }
        return name == "!" || name == "str" ? YAMLScalar(text: text) : resolved
    }

    private func reportTag(_ tag: String, _ mark: YAMLMark, _ path: String) {
        let shown =
            tag.hasPrefix(Self.coreTags) ? "!!" + tag.dropFirst(Self.coreTags.count) : tag
        let message =
            tag.hasPrefix(Self.coreTags)
            ? "The tag '\(shown)' does not fit this value" : "The tag '\(shown)' is not known here"
        report("yaml.tag", message, mark, path, fix: "remove the tag")
    }

    private func report(
        _ code: String, _ message: String, _ mark: YAMLMark, _ path: String, fix: String? = nil
    ) {
        let place = SourceLocation(
            file: problems.file, line: mark.line, column: mark.column, keyPath: path)
        problems.report(code, message, at: .source(place), fix: fix)
    }

    private func stop(
        _ code: String, _ message: String, _ mark: YAMLMark, _ path: String, fix: String? = nil
    ) -> Stop {
        report(code, message, mark, path, fix: fix)
        return Stop()
    }
}
