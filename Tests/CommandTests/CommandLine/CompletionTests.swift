import Foundation
import Testing

@Suite("Completions") struct CompletionTests {
    /// Returns the completions that bash offers after these words with the generated script.
    private func offers(_ words: [String], in folder: String) throws -> [String] {
        let script = """
            source <('\(Tool.etlPath)' --generate-completion-script bash)
            shopt -s extglob
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _etl etl "${@: -1}" "${@: -2:1}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let path = [Tool.etlPath] + words
        let result = try Tool.run("bash", ["-c", script, "bash"] + path, in: folder)
        return result.standardOutput.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }.sorted()
    }

    @Test func completesNamesOfStagesParametersAndEntities() throws {
        let workspace = try Workspace()
        let folder = workspace.path("pipelines")
        let spec = "export-snapshot.yaml"
        #expect(
            try offers(["run", spec, "--only", ""], in: folder)
                == ["export-category", "export-tag", "export-task", "task-table"])
        #expect(try offers(["run", spec, "--from", "t"], in: folder) == ["task-table"])
        #expect(try offers(["plan", spec, "--set", ""], in: folder) == ["store=", "to="])
        #expect(try offers(["run", "missing.yaml", "--only", ""], in: folder) == [])
        try workspace.runSilently("import-tasks")
        #expect(
            try offers(["fetch", "../out/tasks.sqlite", ""], in: folder)
                == ["Category", "Tag", "Task"])
        #expect(try offers(["fet"], in: folder) == ["fetch"])
    }
}
