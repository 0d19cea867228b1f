import Diagnostics

/// Draws a model as SVG.
///
/// The ends of lines are crow's feet for many, bars for one, and rings for optional. A hollow
/// triangle is at the parent of an entity. A tooltip describes each line.
struct DiagramPicture {
    private static let rowHeight = 20.0
    private static let titleHeight = 30.0
    /// The space for a line and the labels on both sides of it.
    static let portStep = 34.0

    let model: ManagedObjectModel
    let lines: [ModelDiagram.Line]
    let layout: DiagramLayout
    /// The attributes in each box.
    private let attributes: [[AttributeDescription]]
    private let unique: [Set<String>]

    init(_ model: ManagedObjectModel) {
        self.model = model
        let all = ModelDiagram.lines(of: model)
        let positions = Dictionary(
            uniqueKeysWithValues: model.entities.enumerated().map { ($1.name, $0) })
        lines = all
        unique = model.entities.map { Set($0.uniquenessConstraints.flatMap(\.self)) }
        // The side with more lines determines the height of the box.
        var ends = Array(repeating: (left: 0, right: 0), count: model.entities.count)
        for line in all {
            let (from, to) = (positions[line.from.entity] ?? 0, positions[line.to.entity] ?? 0)
            ends[from].right += 1
            if from == to { ends[to].right += 1 } else { ends[to].left += 1 }
        }
        let attributes = model.entities.map { ModelDiagram.attributes(of: $0, in: model) }
        self.attributes = attributes
        let boxes = zip(model.entities.indices, ends).map { index, ends in
            var box = Self.box(model.entities[index].name, attributes[index])
            box.height = max(box.height, Double(max(ends.left, ends.right)) * Self.portStep + 24)
            return box
        }
        layout = DiagramLayout(
            nodes: boxes,
            edges: all.map { line in
                DiagramLayout.Edge(
                    from: positions[line.from.entity] ?? 0, to: positions[line.to.entity] ?? 0,
                    labelWidth: Self.width(line.from.name ?? "", 11)
                        + Self.width(line.to.name ?? "", 11))
            })
    }

    private static func box(
        _ name: String, _ attributes: [AttributeDescription]
    ) -> DiagramLayout.Node {
        let rows = attributes.map { attribute in
            width(attribute.name, 13) + width(ModelDiagram.type(of: attribute), 12) + 52
        }
        return DiagramLayout.Node(
            width: max(130, (rows + [width(name, 14) + 40]).max() ?? 0).rounded(),
            height: titleHeight + Double(max(1, attributes.count)) * rowHeight + 8)
    }

    /// Estimates the width of a text; each character of a wide script takes one em.
    private static func width(_ text: String, _ size: Double) -> Double {
        text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x1100 ? 1.0 : 0.58) * size }
    }

    // MARK: The document

    func text() -> String {
        let width = Self.number(layout.width)
        let height = Self.number(layout.height + 22)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img">
            <title>\(Self.escaped(title))</title>
            \(Self.style)
            <rect class="page" width="\(width)" height="\(height)"/>

            """
        let ports = ports()
        for (index, line) in lines.enumerated() { text += self.line(line, index, ports) }
        for (index, entity) in model.entities.enumerated() { text += box(entity, index) }
        text += """
            <text class="note" x="24" y="\(Self.number(layout.height + 6))">\
            bold: required · underlined: unique · three toes: many · ring: may be none</text>
            </svg>

            """
        return text
    }

    private var title: String {
        model.versionIdentifiers.first.map { "Data model \($0)" } ?? "Data model"
    }

    private static let style = """
        <style>
        .page { fill: #ffffff }
        .box { fill: #ffffff; stroke: #8796ab; stroke-width: 1.2 }
        .head { fill: #e6edf7 }
        .rule { stroke: #8796ab; stroke-width: 1 }
        text { font-family: system-ui, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif }
        .name { font-size: 14px; font-weight: 600; fill: #14233a }
        .abstract { font-style: italic; font-weight: 400 }
        .attribute { font-size: 13px; fill: #22303f }
        .required { font-weight: 600 }
        .unique { text-decoration: underline }
        .type { font-size: 12px; fill: #64748b; text-anchor: end }
        .label { font-size: 11px; fill: #3d5a80; paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
        .note { font-size: 11px; fill: #64748b }
        .line { fill: none; stroke: #4a6fa5; stroke-width: 1.4 }
        .parent { stroke: #8a6d3b; stroke-dasharray: 5 3 }
        .end { fill: none; stroke: #4a6fa5; stroke-width: 1.4 }
        .ring { fill: #ffffff; stroke: #4a6fa5; stroke-width: 1.4 }
        .triangle { fill: #ffffff; stroke: #8a6d3b; stroke-width: 1.4 }
        @media (prefers-color-scheme: dark) {
        .page { fill: #12171f }
        .box { fill: #1b2330; stroke: #55657c }
        .head { fill: #26344a }
        .rule { stroke: #55657c }
        .name { fill: #e8eef8 }
        .attribute { fill: #d3dce8 }
        .type, .note { fill: #93a3b8 }
        .label { fill: #a9c5ee; stroke: #12171f }
        .line, .end { stroke: #7ea6dd }
        .parent { stroke: #cfae71 }
        .ring { fill: #12171f; stroke: #7ea6dd }
        .triangle { fill: #12171f; stroke: #cfae71 }
        }
        </style>
        """

    // MARK: Boxes

    private func box(_ entity: EntityDescription, _ index: Int) -> String {
        let node = layout.nodes[index]
        let (x, y) = (Self.number(node.x), Self.number(node.y))
        let (width, height) = (Self.number(node.width), Self.number(node.height))
        let middle = Self.number(node.x + node.width / 2)
        let head = Self.number(node.y + Self.titleHeight)
        let right = Self.number(node.x + node.width)
        var text = """
            <g><rect class="box" x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="5"/>
            <path class="head" d="M\(x) \(head)v-\(Self.number(Self.titleHeight - 5))q0 -5 5 -5\
            h\(Self.number(node.width - 10))q5 0 5 5V\(head)z"/>
            <rect class="box" style="fill: none" x="\(x)" y="\(y)" width="\(width)" \
            height="\(height)" rx="5"/>
            <path class="rule" d="M\(x) \(head)H\(right)"/>
            <text class="name\(entity.isAbstract ? " abstract" : "")" x="\(middle)" \
            y="\(Self.number(node.y + 20))" text-anchor="middle">\(Self.escaped(entity.name))</text>

            """
        for (row, attribute) in attributes[index].enumerated() {
            let baseline = node.y + Self.titleHeight + 4 + Double(row) * Self.rowHeight + 14
            let classes =
                "attribute" + (attribute.isOptional ? "" : " required")
                + (unique[index].contains(attribute.name) ? " unique" : "")
            text += """
                <text class="\(classes)" x="\(Self.number(node.x + 12))" \
                y="\(Self.number(baseline))">\(Self.escaped(attribute.name))</text>\
                <text class="type" x="\(Self.number(node.x + node.width - 12))" \
                y="\(Self.number(baseline))">\
                \(Self.escaped(attribute.compositeName ?? attribute.type.rawValue))</text>

                """
        }
        return text + "</g>\n"
    }

    // MARK: Text

    static func point(_ point: (x: Double, y: Double)) -> String {
        "\(number(point.x)) \(number(point.y))"
    }

    /// Returns a number with at most one decimal place.
    static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        let whole = tenths / 10
        return whole == whole.rounded() ? String(Int(whole)) : "\(whole)"
    }

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += $1.markupEscape ?? String($1) }
    }
}
