import Diagnostics
import Foundation
import Testing

@testable import Pipelines

/// The spec and model inferred from files of a workspace, and imports with them.
struct InferenceCase {
    let workspace: Workspace
    let inference: Inference

    init(
        _ workspace: Workspace, _ names: [String], limit: Int? = nil, valuesMax: Int = 1000,
        _ options: InferenceOptions = InferenceOptions()
    ) throws {
        self.workspace = workspace
        var options = options
        options.limit = limit
        options.valuesMax = valuesMax
        inference = try Inference(from: names.map(workspace.path), options: options)
    }

    /// Writes one file and infers from it.
    init(_ name: String, _ text: String) throws {
        let workspace = try Workspace()
        try workspace.write(name, text)
        try self.init(workspace, [name])
    }

    /// The lines of the model below `attributes:` of its only or first entity, without indentation.
    ///
    /// A key that consists of the complete record is left out.
    var attributes: [String] {
        let lines = (inference.model ?? "").split(separator: "\n")
        return lines.drop { !$0.hasSuffix("attributes:") }.dropFirst()
            .prefix { $0.hasPrefix("      ") }.map { String($0.dropFirst(6)) }
            .filter { !$0.hasPrefix("rowKey") }
    }

    /// The spec with the model in it and with paths relative to the workspace.
    var spec: String {
        inference.spec(modelFile: nil).replacingOccurrences(of: workspace.folder + "/", with: "")
    }

    /// Checks and runs the spec, then exports entities with lines of `fields`; no record may be
    /// rejected.
    func imported(_ exports: [String: String] = [:]) throws -> [String: [[String: Any]]] {
        var spec = inference.spec(modelFile: nil)
        #expect(try workspace.check(spec) == "")
        for (entity, fields) in exports.sorted(by: { $0.key < $1.key }) {
            spec += """
                  - export: out-\(entity)
                    entity: \(entity)
                    \(fields.isEmpty ? "" : "fields: [\(fields)]")
                    to: out/\(entity).ndjson

                """
        }
        let run = try workspace.run(spec)
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.text == "")
        for stage in run.outcome.stages {
            if let records = stage.records { #expect(records.rejected == 0) }
        }
        var objects: [String: [[String: Any]]] = [:]
        for entity in exports.keys {
            objects[entity] = try workspace.text("out/\(entity).ndjson").split(separator: "\n")
                .map { line in
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    return try #require(object as? [String: Any])
                }
        }
        return objects
    }
}
