/// Text in Markdown.
enum MarkdownText {
    /// The text as the cell of a table.
    static func cell(_ text: String) -> String {
        text.replacing("|", with: #"\|"#).replacing("\n", with: " ")
            .replacing("<", with: "&lt;")
    }
}
