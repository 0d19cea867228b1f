/// Arranges boxes in columns so that lines run from left to right with few crossings.
///
/// The layout follows Sugiyama:
/// - A line that closes a cycle is reversed.
/// - Each box is one column to the right of the last of its predecessors.
/// - A line over several columns passes a narrow node in each column between.
/// - Columns are ordered by the mean position of the adjacent nodes, alternately from both sides.
/// - Boxes move toward these means without changing their order.
struct DiagramLayout {
    /// A box, or the point at which a long line crosses a column.
    struct Node {
        var width: Double
        var height: Double
        var x = 0.0
        var y = 0.0
        var column = 0
        var isBox = true

        var middle: Double { y + height / 2 }
    }

    /// A line between two boxes; `path` lists its nodes from left to right.
    struct Edge {
        var from: Int
        var to: Int
        /// The horizontal space between two columns for the line's labels.
        var labelWidth: Double
        var path: [Int] = []

        /// The distance that the line extends to the right if both boxes are in the same column.
        var bracketWidth: Double { 50 + labelWidth }
    }

    private(set) var nodes: [Node]
    private(set) var edges: [Edge]
    private(set) var width = 0.0
    private(set) var height = 0.0
    private var columns: [[Int]] = []
    private let gap = 28.0

    init(nodes: [Node], edges: [Edge]) {
        self.nodes = nodes
        self.edges = edges
        assignColumns()
        addBends()
        order()
        placeAcross()
        placeDown()
    }

    // MARK: Columns

    private mutating func assignColumns() {
        let boxes = nodes.indices
        var after: [[Int]] = Array(repeating: [], count: nodes.count)
        for edge in edges where edge.from != edge.to { after[edge.from].append(edge.to) }
        // Depth first; a line to a box that is still open closes a cycle and is not followed.
        var state = Array(repeating: 0, count: nodes.count)
        var sorted: [Int] = []
        var forward: [[Int]] = Array(repeating: [], count: nodes.count)
        func visit(_ node: Int) {
            state[node] = 1
            for next in after[node] {
                if state[next] == 1 { continue }
                forward[node].append(next)
                if state[next] == 0 { visit(next) }
            }
            state[node] = 2
            sorted.append(node)
        }
        let starts = boxes.filter { node in !after.contains { $0.contains(node) } }
        for node in starts + Array(boxes) where state[node] == 0 { visit(node) }
        for node in sorted.reversed() {
            for next in forward[node] {
                nodes[next].column = max(nodes[next].column, nodes[node].column + 1)
            }
        }
        // Place a box without predecessors directly before its first successor.
        for node in sorted
        where !forward[node].isEmpty && !forward.contains(where: { $0.contains(node) }) {
            let first = forward[node].map { nodes[$0].column }.min() ?? 1
            nodes[node].column = first - 1
        }
        spreadLoneBoxes(connected: edges.filter { $0.from != $0.to })
        let count = (nodes.map(\.column).max() ?? -1) + 1
        columns = Array(repeating: [], count: count)
        for node in boxes { columns[nodes[node].column].append(node) }
    }

    /// Places boxes that have no lines in the columns that have space.
    private mutating func spreadLoneBoxes(connected: [Edge]) {
        var heights: [Double] = []
        func add(_ node: Int) {
            while heights.count <= nodes[node].column { heights.append(0) }
            heights[nodes[node].column] += nodes[node].height + gap
        }
        let ends = Set(connected.flatMap { [$0.from, $0.to] })
        for node in nodes.indices where ends.contains(node) { add(node) }
        let lone = nodes.indices.filter { !ends.contains($0) }
        let area = nodes.reduce(0) { $0 + ($1.height + gap) * ($1.width + 120) }
        let target = max(heights.max() ?? 0, (area * 0.6).squareRoot())
        for node in lone {
            let needed = nodes[node].height + gap
            let free = heights.firstIndex { $0 + needed <= target }
            nodes[node].column = free ?? heights.count
            add(node)
        }
    }

    /// Sets each line's nodes and adds nodes in the columns between its ends.
    private mutating func addBends() {
        for index in edges.indices {
            var (left, right) = (edges[index].from, edges[index].to)
            if nodes[left].column > nodes[right].column { swap(&left, &right) }
            var path = [left]
            for column
                in (nodes[left].column + 1)..<max(
                    nodes[left].column + 1, nodes[right].column)
            {
                nodes.append(Node(width: 0, height: 18, column: column, isBox: false))
                columns[column].append(nodes.count - 1)
                path.append(nodes.count - 1)
            }
            edges[index].path = path + [right]
        }
    }

    // MARK: Order

    private func neighbors() -> (left: [[Int]], right: [[Int]]) {
        var left: [[Int]] = Array(repeating: [], count: nodes.count)
        var right = left
        for edge in edges {
            for (one, other) in zip(edge.path, edge.path.dropFirst())
            where nodes[one].column < nodes[other].column {
                right[one].append(other)
                left[other].append(one)
            }
        }
        return (left, right)
    }

    private mutating func order() {
        let (left, right) = neighbors()
        var places = Array(repeating: 0.0, count: nodes.count)
        func number(_ column: [Int]) {
            for (place, node) in column.enumerated() {
                places[node] = Double(place) - Double(column.count) / 2
            }
        }
        columns.forEach(number)
        var best = (columns: columns, crossings: Int.max)
        for round in 0..<12 {
            let near = round.isMultiple(of: 2) ? left : right
            let way =
                round.isMultiple(of: 2) ? Array(columns.indices) : columns.indices.reversed()
            for column in way {
                let keyed = columns[column].map { node -> (node: Int, key: Double) in
                    let around = near[node]
                    guard !around.isEmpty else { return (node, places[node]) }
                    return (node, around.map { places[$0] }.reduce(0, +) / Double(around.count))
                }
                // A stable sort keeps the order of equal keys.
                columns[column] = keyed.enumerated().sorted {
                    ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
                }.map(\.element.node)
                number(columns[column])
            }
            let crossings = crossings(places, right)
            if crossings < best.crossings { best = (columns, crossings) }
        }
        columns = best.columns
    }

    private func crossings(_ places: [Double], _ right: [[Int]]) -> Int {
        var count = 0
        for column in columns {
            let ends = column.flatMap { node in right[node].map { (places[node], places[$0]) } }
            for (index, one) in ends.enumerated() {
                for other in ends[(index + 1)...]
                where (one.0 - other.0) * (one.1 - other.1) < 0 {
                    count += 1
                }
            }
        }
        return count
    }

    // MARK: Places

    private mutating func placeAcross() {
        var x = 24.0
        for (column, members) in columns.enumerated() {
            let widest = members.map { nodes[$0].width }.max() ?? 0
            for node in members {
                nodes[node].x = x
                if !nodes[node].isBox { nodes[node].width = widest }
            }
            let brackets = edges.filter { edge in
                edge.path.allSatisfy { nodes[$0].column == column }
            }
            // The curve extends to three quarters of the distance of its control points.
            let room = (brackets.map(\.bracketWidth).max() ?? 0) * 0.75
            let leaving = edges.filter { edge in
                edge.path.dropLast().contains { nodes[$0].column == column }
            }
            width = x + widest + room + 24
            x += widest + max(70, (leaving.map(\.labelWidth).max() ?? 0) + 56, room + 30)
        }
    }

    private mutating func placeDown() {
        for members in columns {
            var y = 0.0
            for node in members {
                nodes[node].y = y
                y += nodes[node].height + gap
            }
        }
        let (left, right) = neighbors()
        for round in 0..<24 {
            let near = round.isMultiple(of: 2) ? left : right
            let way =
                round.isMultiple(of: 2) ? Array(columns.indices) : columns.indices.reversed()
            for column in way { alignBlocks(columns[column], near) }
        }
        let top = nodes.map(\.y).min() ?? 0
        for node in nodes.indices { nodes[node].y += 24 - top }
        height = (nodes.map { $0.y + $0.height }.max() ?? 0) + 24
    }

    /// Moves the nodes of a column toward the adjacent nodes; blocks that touch move together.
    private mutating func alignBlocks(_ members: [Int], _ near: [[Int]]) {
        struct Block {
            var nodes: [Int]
            var height: Double
            var wanted: Double
            var weight: Double
        }
        var blocks: [Block] = []
        for node in members {
            let around = near[node]
            let middle =
                around.isEmpty
                ? nodes[node].middle
                : around.map { nodes[$0].middle }.reduce(0, +) / Double(around.count)
            var block = Block(
                nodes: [node], height: nodes[node].height + gap,
                wanted: middle - nodes[node].height / 2, weight: around.isEmpty ? 0.1 : 1)
            while let last = blocks.last, last.wanted + last.height > block.wanted {
                let weight = last.weight + block.weight
                let wanted =
                    (last.wanted * last.weight + (block.wanted - last.height) * block.weight)
                    / weight
                block = Block(
                    nodes: last.nodes + block.nodes, height: last.height + block.height,
                    wanted: wanted, weight: weight)
                blocks.removeLast()
            }
            blocks.append(block)
        }
        for block in blocks {
            var y = block.wanted
            for node in block.nodes {
                nodes[node].y = y
                y += nodes[node].height + gap
            }
        }
    }
}
