import Foundation
import Testing

@testable import GraphStore

@Suite("Saves of other processes") struct OtherProcessTests {
    @Test("row 116: a save of another process is noticed once")
    func noticed() throws {
        try withObjects { store in
            store.context().insert(Category.self)
            let context = store.context()
            context.insert(Category.self) { $0.name = "one" }
            try context.save()
            #expect(try store.container.pollRemoteChange() == nil)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c",
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
                    + " c.execute(\"UPDATE ZCATEGORY SET ZNAME = 'two', Z_OPT = 2\"); c.commit()",
                store.path,
            ]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(try store.container.pollRemoteChange() != nil)
            #expect(try store.container.pollRemoteChange() == nil)
        }
    }

    @Test("row 115: a history keeps seven days by default")
    func defaultRetention() {
        #expect(HistoryOptions().retention == .days(7))
    }
}
