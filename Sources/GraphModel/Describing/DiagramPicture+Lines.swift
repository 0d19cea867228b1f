/// The lines between boxes, with the marks and labels at their ends.
extension DiagramPicture {
    /// The vertical positions of a line at its left and right ends.
    struct Port {
        var left = 0.0
        var right = 0.0
    }

    /// Returns whether the line connects the right sides of two boxes in the same column.
    private func isBracket(_ edge: DiagramLayout.Edge) -> Bool {
        layout.nodes[edge.from].column == layout.nodes[edge.to].column
    }

    /// Distributes the lines along each side of a box, in the order of their other ends.
    func ports() -> [Port] {
        var ports = Array(repeating: Port(), count: lines.count)
        for (box, node) in model.entities.indices.map({ ($0, layout.nodes[$0]) }) {
            var right: [(edge: Int, key: Double, isLeftEnd: Bool)] = []
            var left: [(edge: Int, key: Double)] = []
            for (index, edge) in layout.edges.enumerated() {
                guard let first = edge.path.first, let last = edge.path.last else { continue }
                let next = edge.path.dropFirst().first ?? last
                let before = edge.path.dropLast().last ?? first
                if first == box { right.append((index, layout.nodes[next].middle, true)) }
                if last == box {
                    if isBracket(edge) {
                        right.append((index, layout.nodes[first].middle + 1, false))
                    } else {
                        left.append((index, layout.nodes[before].middle))
                    }
                }
            }
            // Lines back to the same column are nested.
            right.sort {
                ($0.key, $0.isLeftEnd ? $0.edge : -$0.edge)
                    < ($1.key, $1.isLeftEnd ? $1.edge : -$1.edge)
            }
            left.sort { ($0.key, $0.edge) < ($1.key, $1.edge) }
            for (place, port) in right.enumerated() {
                let y = Self.spread(node, place, right.count)
                if port.isLeftEnd { ports[port.edge].left = y } else { ports[port.edge].right = y }
            }
            for (place, port) in left.enumerated() {
                ports[port.edge].right = Self.spread(node, place, left.count)
            }
        }
        return ports
    }

    private static func spread(_ node: DiagramLayout.Node, _ place: Int, _ count: Int) -> Double {
        let step = min(portStep, (node.height - 24) / Double(max(1, count)))
        return node.middle + (Double(place) - Double(count - 1) / 2) * step
    }

    func line(_ line: ModelDiagram.Line, _ index: Int, _ ports: [Port]) -> String {
        let edge = layout.edges[index]
        guard let first = edge.path.first, let last = edge.path.last else { return "" }
        let start = (x: layout.nodes[first].x + layout.nodes[first].width, y: ports[index].left)
        let isTurned = first != edge.from
        let (near, far) = isTurned ? (line.to, line.from) : (line.from, line.to)
        var path = "M\(Self.point(start))"
        var end = (x: layout.nodes[last].x, y: ports[index].right)
        var side = -1.0
        if isBracket(edge) {
            end.x = layout.nodes[last].x + layout.nodes[last].width
            side = 1
            let out = max(start.x, end.x) + edge.bracketWidth
            path += "C\(Self.point((out, start.y))) \(Self.point((out, end.y))) \(Self.point(end))"
        } else {
            var from = start
            for bend in edge.path.dropFirst().dropLast().map({ layout.nodes[$0] }) {
                path += Self.curve(from, (bend.x, bend.middle))
                from = (bend.x + bend.width, bend.middle)
                path += "H\(Self.number(from.x))"
            }
            path += Self.curve(from, end)
        }
        var text = "<g><title>\(Self.escaped(line.hint))</title>"
        text += "<path class=\"line\(line.isInheritance ? " parent" : "")\" d=\"\(path)\"/>"
        if line.isInheritance {
            text += Self.triangle(isTurned ? end : start, isTurned ? side : 1)
        } else {
            text += Self.foot(near.count, start, 1) + Self.foot(far.count, end, side)
            // Place labels on the side that the line turns away from.
            let turns = edge.path.dropFirst().dropLast().map { layout.nodes[$0].middle }
            let isDown = (turns.first ?? end.y) >= start.y
            let isUp = (turns.last ?? start.y) >= end.y
            text += Self.label(near.name, start, 1, isTop: isDown)
            text += Self.label(far.name, end, side, isTop: side < 0 ? isUp : !isDown)
        }
        return text + "</g>\n"
    }

    private static func curve(
        _ from: (x: Double, y: Double), _ to: (x: Double, y: Double)
    ) -> String {
        let middle = (from.x + to.x) / 2
        return "C\(point((middle, from.y))) \(point((middle, to.y))) \(point(to))"
    }

    /// Returns the mark at a line's end for the number of objects, such as a crow's foot.
    ///
    /// - Parameter side: 1 if the line leaves the box to the right, otherwise −1.
    private static func foot(
        _ count: ModelDiagram.Count?, _ at: (x: Double, y: Double), _ side: Double
    ) -> String {
        guard let count else { return "" }
        let (x, y) = at
        var path = ""
        if count.isMany {
            let toe = point((x + side * 12, y))
            path = "M\(toe)L\(point((x, y - 7)))M\(toe)L\(point((x, y + 7)))"
        } else {
            path = "M\(point((x + side * 9, y - 7)))v14"
        }
        if !count.isOptional { path += "M\(point((x + side * 15, y - 7)))v14" }
        let mark = "<path class=\"end\" d=\"\(path)\"/>"
        guard count.isOptional else { return mark }
        return mark
            + "<circle class=\"ring\" cx=\"\(number(x + side * 17))\" cy=\"\(number(y))\" r=\"4\"/>"
    }

    private static func triangle(_ at: (x: Double, y: Double), _ side: Double) -> String {
        let back = at.x + side * 13
        return "<path class=\"triangle\" d=\"M\(point(at))L\(point((back, at.y - 7)))"
            + "L\(point((back, at.y + 7)))z\"/>"
    }

    private static func label(
        _ text: String?, _ at: (x: Double, y: Double), _ side: Double, isTop: Bool
    ) -> String {
        guard let text else { return "" }
        let anchor = side > 0 ? "start" : "end"
        return "<text class=\"label\" x=\"\(number(at.x + side * 24))\" "
            + "y=\"\(number(at.y + (isTop ? -5 : 14)))\" text-anchor=\"\(anchor)\">"
            + "\(escaped(text))</text>"
    }
}
