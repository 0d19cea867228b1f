/// A diagram of the stages of a run: sources, results, and targets, with counts on the arrows.
///
/// It has two drawings, and the page shows one of them: in wide windows a stage is a row, in narrow
/// windows a column.
struct StagePicture {
    /// The source or the target of a stage.
    struct End {
        var title: String
        var detail: String
        var isFile: Bool
    }

    private let stages: [RunReport.Stage]

    init(_ stages: [RunReport.Stage]) {
        self.stages = stages
    }

    var markup: Markup {
        let wide = drawing(WidePicture.self)
        let narrow = drawing(NarrowPicture.self)
        return """
            <div class="picture wide">\(wide)</div>
            <div class="picture narrow">\(narrow)</div>
            """
    }

    private func drawing(_ layout: any PictureLayout.Type) -> Markup {
        var y = 4.0
        var parts: [Markup] = []
        for (place, stage) in stages.enumerated() {
            let (part, height) = layout.stage(stage, at: y, isLast: place == stages.count - 1)
            parts.append(part)
            y += height
        }
        return """
            <svg viewBox="-2 0 \(layout.width + 4) \(y)" role="img" aria-label="The stages of the run">
            \(parts)</svg>
            """
    }
}

/// A layout of the stages.
protocol PictureLayout {
    static var width: Double { get }

    /// Draws a stage, and returns its height.
    static func stage(
        _ stage: RunReport.Stage, at y: Double, isLast: Bool
    ) -> (Markup, height: Double)
}

/// A stage as a row: source, stage, target.
enum WidePicture: PictureLayout {
    static let width = 840.0
    private static let nodeWidth = 190.0
    private static let nodeHeight = 64.0

    static func stage(
        _ stage: RunReport.Stage, at y: Double, isLast: Bool
    ) -> (Markup, height: Double) {
        let stageX = (width - nodeWidth) / 2
        let targetX = width - nodeWidth
        let middle = y + nodeHeight / 2
        var parts: [Markup] = []
        var height = nodeHeight + (isLast ? 4 : 26)
        if let source = stage.source {
            parts.append(PictureParts.end(source, 0, y, nodeWidth, nodeHeight))
            parts.append(PictureParts.arrow(nodeWidth, middle, stageX, middle))
            parts.append(
                PictureParts.labels(stage.inLabels, (nodeWidth + stageX) / 2 - 3, middle))
        }
        if let target = stage.target {
            parts.append(PictureParts.end(target, targetX, y, nodeWidth, nodeHeight))
            parts.append(PictureParts.arrow(stageX + nodeWidth, middle, targetX, middle))
            parts.append(
                PictureParts.labels(
                    stage.outLabels, (stageX + nodeWidth + targetX) / 2 - 3, middle))
        }
        if let rejected = stage.rejectLabel {
            let top = y + nodeHeight + 14
            let x = stageX + nodeWidth - 24
            parts.append(PictureParts.bend(x, y + nodeHeight, targetX, top + 21))
            parts.append(PictureParts.pill(rejected, targetX, top, nodeWidth))
            height += PictureParts.pillHeight + 4
        }
        if !isLast {
            parts.append(PictureParts.spine(width / 2, y + nodeHeight, y + height))
        }
        parts.append(PictureParts.node(stage, stageX, y, nodeWidth, nodeHeight))
        return (PictureParts.group(stage, parts), height)
    }
}

/// A stage as a column: source, stage, and target, from top to bottom.
enum NarrowPicture: PictureLayout {
    static let width = 350.0
    private static let nodeHeight = 64.0
    private static let endHeight = 48.0
    private static let arrowHeight = 40.0

    static func stage(
        _ stage: RunReport.Stage, at y: Double, isLast: Bool
    ) -> (Markup, height: Double) {
        let middle = width / 2
        var parts: [Markup] = []
        var bottom = y
        if let source = stage.source {
            parts.append(PictureParts.end(source, 40, bottom, width - 80, endHeight))
            bottom += endHeight
            parts.append(PictureParts.arrow(middle, bottom, middle, bottom + arrowHeight))
            parts.append(
                PictureParts.line(stage.inLabels, middle + 10, bottom + arrowHeight / 2))
            bottom += arrowHeight
        }
        parts.append(PictureParts.node(stage, 20, bottom, width - 40, nodeHeight))
        bottom += nodeHeight
        if let target = stage.target {
            parts.append(PictureParts.arrow(middle, bottom, middle, bottom + arrowHeight))
            parts.append(
                PictureParts.line(stage.outLabels, middle + 10, bottom + arrowHeight / 2))
            bottom += arrowHeight
            parts.append(PictureParts.end(target, 40, bottom, width - 80, endHeight))
            bottom += endHeight
        }
        if let rejected = stage.rejectLabel {
            parts.append(PictureParts.pill(rejected, 40, bottom + 8, width - 80))
            bottom += PictureParts.pillHeight + 8
        }
        guard !isLast else { return (PictureParts.group(stage, parts), bottom - y + 6) }
        parts.append(PictureParts.spine(middle, bottom + 4, bottom + 26))
        return (PictureParts.group(stage, parts), bottom - y + 30)
    }
}
