import Foundation
import Testing

/// The HTML report of a real run, in a real browser.
@Suite("Pages of reports in a browser", .serialized)
struct ReportBrowserTests {
    /// The script that measures the page in the browser.
    private static let script = """
        const shown = e => e.getClientRects().length > 0;
        const texts = [...document.querySelectorAll('svg text')].filter(shown);
        const inside = t => {
            const box = t.getBoundingClientRect(), frame = t.ownerSVGElement.getBoundingClientRect();
            return box.left >= frame.left - 1 && box.right <= frame.right + 1;
        };
        const boxes = texts.map(t => [t.getBoundingClientRect(), t.textContent]);
        const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
        const pairs = boxes.flatMap(([a, s], i) => boxes.slice(i + 1)
            .filter(([b]) => meet(a, b)).map(([b, t]) => s + ' / ' + t));
        return {
            pairs, width: innerWidth, content: document.documentElement.scrollWidth,
            wide: shown(document.querySelector('.picture.wide')),
            narrow: shown(document.querySelector('.picture.narrow')),
            back: getComputedStyle(document.body).backgroundColor,
            smallest: Math.min(...texts.map(t => t.getBoundingClientRect().height)),
            outside: texts.filter(t => !inside(t)).map(t => t.textContent),
            counts: texts.map(t => t.textContent),
        };
        """

    @Test(
        "a report fits the window, is legible, and follows the color scheme",
        .enabled(if: Browser.program != nil, "no chromium or chrome is installed"),
        arguments: [
            Browser.View(width: 500, isDark: false), Browser.View(width: 500, isDark: true),
            Browser.View(width: 1280, isDark: false), Browser.View(width: 1280, isDark: true),
        ])
    func looks(_ view: Browser.View) throws {
        let workspace = try Workspace()
        try workspace.runSilently("import-tasks")
        let folder = workspace.path("out/runs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let file =
            try folder + "/" + #require(names.first { $0.hasSuffix(".html") && $0 != "index.html" })
        let page = try Tool.contents(file)
        let found = try Browser.measure(page, Self.script, in: view)
        #expect(found["width"] as? Int == view.width)
        // No element makes the page wider than the window.
        #expect(found["content"] as? Int ?? .max <= view.width)
        #expect(found["wide"] as? Bool == (view.width > 720))
        #expect(found["narrow"] as? Bool == (view.width <= 720))
        #expect(
            found["back"] as? String == (view.isDark ? "rgb(17, 21, 28)" : "rgb(246, 247, 249)"))
        #expect(found["smallest"] as? Double ?? 0 >= 10)
        #expect(found["outside"] as? [String] == [])
        // No two texts of the chart overlap.
        #expect(found["pairs"] as? [String] == [])
        let counts = found["counts"] as? [String] ?? []
        #expect(counts.contains("1 rejected"), "\(counts)")
        let picture = try Browser.screenshot(of: file, in: view)
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 20_000)
    }
}
