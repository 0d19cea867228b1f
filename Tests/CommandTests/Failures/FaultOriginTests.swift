import Foundation
import Testing

/// The exit status for failures that the data does not cause.
@Suite("Failures: origin of the fault", .serialized)
struct FaultOriginTests {
    #if os(Linux)
        /// Reading this file fails with an input/output error.
        private static let broken = "/proc/self/mem"

        @Test("74: the spec, the model, or an input cannot be read")
        func readError() throws {
            let folder = try FailureFolder()
            try folder.writeTasks(10)
            let spec = try folder.shell(
                "ln -s \(Self.broken) broken.yaml; exec \"$E\" run broken.yaml")
            #expect(spec.status == 74)
            #expect(
                spec.errors == """
                    broken.yaml: error: The file cannot be read: Input/output error \
                    [file.unreadable]

                    """)
            let input = try folder.shell(
                "ln -s \(Self.broken) broken.csv; exec \"$E\" run spec.yaml --set in=broken.csv")
            #expect(input.status == 74)
            #expect(
                input.errors.hasPrefix(
                    """
                    broken.csv: error: The file cannot be read: Input/output error \
                    [input.unreadable]
                    """), "\(input.errors)")
            let model = try folder.shell(
                "rm model.yaml; ln -s \(Self.broken) model.yaml; exec \"$E\" run spec.yaml")
            #expect(model.status == 74)
            #expect(model.errors.contains("The file cannot be read: Input/output error"))
        }

        @Test("71: no thread can be started, and the run does not hang")
        func threads() throws {
            let user = try #require(FailureFolder.underling)
            let folder = try FailureFolder()
            try folder.writeTasks(30_000)
            // The limit does not apply to root.
            let result = try folder.shell(
                "chmod 777 .; exec \(user) bash -c 'ulimit -u 1; exec \"$E\" run spec.yaml'")
            #expect(result.status == 71)
            #expect(
                result.errors == """
                    error: No thread can be started: Resource temporarily unavailable \
                    [system.resources]
                      stage: spec.yaml:10:3 import tasks
                      fix: raise the limit on processes and threads (`ulimit -u`), and run again

                    """)
            #expect(try folder.shell("exec \(user) \"$E\" run spec.yaml").status == 0)
        }
    #endif

    @Test("65: the run file in a folder of rejects is damaged, and its path is reported")
    func damagedNote() throws {
        for damage in [
            "{", "[]", "", "{\"format\":1}", "\u{0}", String(repeating: "[", count: 100_000),
        ] {
            let folder = try FailureFolder()
            try folder.write("tasks.ndjson", "{\"id\":1}\nnonsense\n")
            try folder.writeSpec(top: "rejects: { allow: 1 }")
            #expect(try folder.run().status == 0)
            let run = try #require(folder.names("rejects").first)
            try folder.write("rejects/\(run)/.run.json", damage)
            let result = try folder.shell("exec \"$E\" replay rejects/\(run)")
            #expect(result.status == 65, "\(damage.prefix(20)): \(result.errors)")
            #expect(result.errors.contains(".run.json is damaged"), "\(result.errors)")
        }
    }
}
