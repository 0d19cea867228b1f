import Diagnostics
import Foundation
import GraphModel
import Testing

@testable import Pipelines

@Suite("Reference pages") struct ReferencePagesTests {
    private static let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../pipelines/task-model.yaml").standardizedFileURL.path

    /// Returns a spec with a stage's example over the tasks of `pipelines`, or with another
    /// mapping's example and a stage.
    private static func spec(_ mapping: DescribedMapping, _ example: String) -> String {
        let stage = "  - export: Task\n    to: tasks.csv\n"
        let store = "store: { at: a.sqlite, model: \(model), open: create }\n"
        return switch mapping.definition {
        case "spec": example.replacing("task-model.yaml", with: model)
        case "store":
            "etl: 1\n\(example.replacing("task-model.yaml", with: model))\nstages:\n\(stage)"
        case _ where DescribedMapping.stages.contains { $0.definition == mapping.definition }:
            "etl: 1\n\(store)stages:\n\(example)\n"
        default: "etl: 1\n\(store)\(example)\nstages:\n\(stage)"
        }
    }

    @Test(arguments: DescribedMapping.ofSpecs)
    func examplesPassTheCheckWithTheirModel(_ mapping: DescribedMapping) throws {
        guard let example = mapping.example else {
            #expect(!DescribedMapping.stages.contains { $0.definition == mapping.definition })
            return
        }
        let spec = Self.spec(mapping, example)
        let found = SpecificationFile.check(
            text: spec, file: "a.yaml", SpecificationTesting.context())
        let errors = found.diagnostics.filter { $0.severity == .error }
        #expect(SpecificationTesting.text(errors) == "", "\(spec)")
    }

    @Test func castTableListsEveryStoredTypeOnce() {
        let types = CastTable.rows.flatMap(\.types)
        #expect(Set(types).count == types.count)
        #expect(
            Set(AttributeType.allCases).subtracting(types).map(\.rawValue).sorted()
                == ["Composite", "Undefined"])
    }

    @Test func writesACommandPageFromTheHelpDump() throws {
        let command = try CommandDescription(
            dump: """
                {"command": {"commandName": "tool", "shouldDisplay": true, "subcommands": [
                  {"commandName": "do", "superCommands": ["tool"], "shouldDisplay": true,
                   "abstract": "Do it.", "discussion": "One.\\n\\nLists:\\n\\n- a\\nb\\n- c\\n\\nExamples:\\n  tool do x\\n  tool do y",
                   "arguments": [
                     {"kind": "positional", "valueName": "file", "isOptional": false,
                      "isRepeating": true, "shouldDisplay": true, "abstract": "What"},
                     {"kind": "option", "valueName": "30m", "isOptional": true,
                      "isRepeating": false, "shouldDisplay": true, "abstract": "When.",
                      "names": [{"kind": "long", "name": "at"}], "defaultValue": "1h"},
                     {"kind": "flag", "isOptional": true, "isRepeating": false,
                      "shouldDisplay": false, "names": [{"kind": "long", "name": "hidden"}]},
                     {"kind": "flag", "isOptional": true, "isRepeating": false,
                      "shouldDisplay": true, "abstract": "Help.",
                      "names": [{"kind": "short", "name": "h"}, {"kind": "long", "name": "help"}]}
                   ]},
                  {"commandName": "secret", "superCommands": ["tool"], "shouldDisplay": false}]}}
                """)
        #expect(command.commands.map(\.name) == ["tool do"])
        #expect(
            CommandPages.page(command.commands[0]) == """
                # tool do

                Do it.

                ```sh
                tool do [FLAGS] FILE…
                ```

                One.

                Lists:

                - a b
                - c

                Examples:

                ```sh
                tool do x
                tool do y
                ```

                | argument | meaning |
                |---|---|
                | `FILE` | What. |
                | `--at 30m` | When. By default 1h. |

                """)
    }
}
