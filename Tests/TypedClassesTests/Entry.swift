import Foundation
import GraphStore

/// A journal's entry: its properties are generated, and this part is written by hand.
final class Entry: ManagedObject {
    override func awakeFromInsert() {
        writtenAt = Date(timeIntervalSince1970: 1_700_000_000)
    }

    override func willSave() {
        let count = Int32(text.split { !$0.isLetter && !$0.isNumber }.count)
        if words != count { words = count }
    }

    override func validate(_ operation: SaveOperation, into failures: inout ValidationFailures) {
        if text.contains("lorem ipsum") {
            failures.add("write it yourself", self, key: "text")
        }
    }
}
