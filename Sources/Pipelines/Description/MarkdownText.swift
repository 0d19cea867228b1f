/// Text in Markdown.
enum MarkdownText {
    /// Returns the text escaped for a table cell.
    static func cell(_ text: String) -> String {
        text.replacing("|", with: #"\|"#).replacing("\n", with: " ")
            .replacing("<", with: "&lt;")
    }
}
