/// A self-contained HTML page, which loads no other resource.
enum HTMLPage {
    /// Returns the page.
    ///
    /// - Parameters:
    ///   - mark: A comment by which etl recognizes the page.
    ///   - style: Additional style rules for this page.
    ///   - body: The `body` element, including its tags.
    static func text(
        title: Markup, mark: Markup = .empty, style: Markup = .empty, body: Markup
    ) -> Markup {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" \
        content="default-src 'none'; style-src 'unsafe-inline'">
        \(mark)<title>\(title)</title>
        <style>\(ReportStyle.sheet)\(style)</style></head>
        \(body)</html>

        """
    }
}
