import AppStoreFixtures
import GraphModel
import Testing

/// Later versions of the fixture's model.
enum LaterShelf {
    /// Returns the fixture's model with parts of its text replaced; each part must occur once.
    static func model(_ changes: KeyValuePairs<String, String>) throws
        -> ManagedObjectModel
    {
        var text = AppStoreFixture.modelText
        for (before, after) in changes {
            try #require(
                text.split(separator: before, omittingEmptySubsequences: false).count == 2,
                "\(before)")
            text = text.replacing(before, with: after)
        }
        let (model, diagnostics) = ModelFile.read(text: text)
        return try #require(model, "\(diagnostics)")
    }

    /// Adds an entity at the start, so all numbers change; also changes names, types, and defaults.
    static let second: KeyValuePairs<String, String> = [
        "version: shelf-3": "version: shelf-4",
        "  Author:\n":
            "  Album:\n    attributes: { title: String, year: { type: Integer 16, default: 1970 } }\n"
            + "  Author:\n",
        "      badge: {":
            "      rank: { type: Integer 16, optional: false, default: 5 }\n      badge: {",
        "pages: { type: Integer 32, default: 1 }": "pages: { type: Integer 64, default: 1 }",
        "  Film:\n": "  Movie:\n    renamed-from: Film\n",
        "weight: Float }": "nickname: { type: String, default: none } }",
        "label: { type: String, renamed-from: title }":
            "title: { type: String, renamed-from: label }",
    ]
}
