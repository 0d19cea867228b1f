import Foundation
import Testing

/// A headless browser, if the machine has one.
enum Browser {
    static let program = ["chromium", "chromium-browser", "google-chrome"].first { name in
        (try? Tool.run(name, ["--version"]))?.status == 0
    }

    /// The width and the color scheme in which a page is shown.
    struct View: CustomTestStringConvertible, Sendable {
        var width: Int
        var isDark: Bool

        var testDescription: String { "\(width) px, \(isDark ? "dark" : "light")" }

        fileprivate var arguments: [String] {
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--disable-dev-shm-usage", "--window-size=\(width),1000",
                "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)",
            ]
        }
    }

    /// Returns the numbers that a script finds in a page.
    ///
    /// The page itself allows no scripts, so the script runs in a copy.
    static func measure(_ page: String, _ script: String, in view: View) throws -> [String: Any] {
        let folder = try TemporaryFolder()
        let policy = try Regex(#"<meta http-equiv="Content-Security-Policy"[^>]*>"#)
        let frame = """
            <script>document.title = JSON.stringify((() => { \(script) })())</script></body>
            """
        let copy = page.replacing(policy, with: "").replacing("</body>", with: frame)
        try Data(copy.utf8).write(to: URL(fileURLWithPath: folder.path + "/page.html"))
        let result = try Tool.run(
            program ?? "chromium",
            view.arguments + [
                "--user-data-dir=\(folder.path)/profile", "--dump-dom",
                "file://\(folder.path)/page.html",
            ])
        let title = result.standardOutput.firstMatch(of: #/<title>(.*?)</title>/#)?.1 ?? ""
        let text = title.replacing("&amp;", with: "&").replacing("&lt;", with: "<")
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// Returns a screenshot of a page, as PNG.
    static func screenshot(of file: String, in view: View) throws -> Data {
        let folder = try TemporaryFolder()
        _ = try Tool.run(
            program ?? "chromium",
            view.arguments + [
                "--user-data-dir=\(folder.path)/profile", "--screenshot=\(folder.path)/page.png",
                "file://\(file)",
            ])
        return try Data(contentsOf: URL(fileURLWithPath: folder.path + "/page.png"))
    }
}
