/// A page that needs nothing else, and loads nothing.
enum HTMLPage {
    /// - Parameters:
    ///   - mark: a comment by which etl knows the page again.
    ///   - style: rules of this page, beside those of all pages.
    ///   - body: with its tags.
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
