import Diagnostics
import Foundation
import Testing

@testable import Pipelines

@Suite("Parameter values") struct ParameterValuesTests {
    private static let params = """
        params:
          inbox:  { type: path, default: ./in }
          cutoff: { type: date, default: "today - 90d" }
          since:  { type: date, default: "now - 4h" }
          wait:   { type: duration, default: 1h30m }
          count:  { type: int, default: 5 }
          dry:    { type: bool, default: false }
          who:    { type: string, from: "env:WHO", default: nobody }
          token:  { type: secret, from: ["file:FOLDER/token", "env:TOKEN"] }
        """

    private func spec(_ params: String = params, folder: String = "pipelines") throws
        -> PipelineSpec
    {
        let text = "etl: 1\n\(params)\nstore: { at: a }\nstages: [{ delete: Task, where: ALL }]\n"
        let (found, diagnostics) = SpecificationFile.read(text: text, file: "\(folder)/a.yaml")
        #expect(SpecificationTesting.text(diagnostics) == "")
        return try #require(found)
    }

    private func template(_ text: String) throws -> TemplateText {
        try #require(TemplateText(parsing: text, at: SourceLocation(file: "a", line: 1, column: 1)))
    }

    @Test func bindsDefaultsSourcesAndFlags() throws {
        let (bound, diagnostics) = ParameterValues.bind(
            try spec(),
            SpecificationTesting.context(
                ["count=7", "dry=true"], ["WHO": "me", "TOKEN": "hush"]))
        #expect(diagnostics.isEmpty)
        let values = try #require(bound)
        #expect(values.values["inbox"] == .path("/home/ada/pipelines/in"))
        #expect(values.values["cutoff"] == .date(786_499_200, text: "2025-12-04T00:00:00Z"))
        #expect(values.values["since"] == .date(794_279_167.25, text: "2026-03-04T01:06:07.25Z"))
        #expect(values.values["wait"] == .duration(5400, text: "1h30m"))
        #expect(values.values["count"] == .int(7))
        #expect(values.values["dry"] == .bool(true))
        #expect(values.values["who"] == .string("me"))
        #expect(values.values["token"] == .secret("hush"))
        #expect(values.values["now"] == .date(794_293_567.25, text: "2026-03-04T05:06:07.25Z"))
        #expect(values.values["today"] == .date(794_275_200, text: "2026-03-04T00:00:00Z"))
    }

    @Test func expandsParametersInTemplatesOnlyOnce() throws {
        let (bound, _) = ParameterValues.bind(
            try spec(), SpecificationTesting.context(["who=${token}"], ["TOKEN": "hush"]))
        let values = try #require(bound)
        #expect(
            values.resolve(try template("${run.date} ${run.time} ${run.id}"))
                == "2026-03-04 050607 20260304T050607Z")
        #expect(
            values.resolve(try template("${who} $${who} $who $$ $")) == "${token} ${who} $who $$ $")
        #expect(values.resolve(try template("a ${token}")) == "a hush")
        #expect(values.shown(try template("a ${token}")) == "a ***")
    }

    @Test func hidesSecretsInDescriptionsAndDumps() {
        let secret = ParameterValue.secret("hush")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect("\(secret) \(String(reflecting: secret)) \(dumped)".contains("hush") == false)
    }

    @Test func resolvesPathsAgainstTheSpecOrWorkingFolder() throws {
        let (bound, _) = ParameterValues.bind(
            try spec(), SpecificationTesting.context(["inbox=data"], ["TOKEN": "hush"]))
        let values = try #require(bound)
        #expect(values.path(try template("${inbox}/a.csv")) == "/home/ada/data/a.csv")
        #expect(values.path(try template("./out/a.csv")) == "pipelines/out/a.csv")
        #expect(values.path(try template("/out/a.csv")) == "/out/a.csv")
        #expect(values.path(try template("-")) == "-")
    }

    @Test func prefersTheSecretFileToTheEnvironment() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "params-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("token")
        try Data("kept-in-file\n".utf8).write(to: file)
        let params = Self.params.replacingOccurrences(of: "FOLDER", with: folder.path)
        let context = SpecificationTesting.context([], ["TOKEN": "from environment"])
        let (bound, _) = ParameterValues.bind(try spec(params), context)
        #expect(bound?.values["token"] == .secret("kept-in-file"))
        try Data([0xFF]).write(to: file)
        let (nothing, diagnostics) = ParameterValues.bind(try spec(params), context)
        #expect(nothing == nil)
        let text = SpecificationTesting.text(diagnostics)
            .replacingOccurrences(of: folder.path, with: "FOLDER")
        #expect(
            text == """
                pipelines/a.yaml:10:3: error: The file 'FOLDER/token' of 'token' is not UTF-8 \
                text [spec.source]
                  in: params.token
                """)
    }

    @Test func reportsEveryProblemAtOnce() throws {
        let params = """
            params:
              a: { type: int }
              b: { type: date, default: today }
              c: { type: secret, from: ["file:secrets/c", "env:C"] }
              d: { type: path }
              e: { type: secret }
            """
        let (values, diagnostics) = ParameterValues.bind(
            try spec(params),
            SpecificationTesting.context(["b=monday", "bb=1", "=2", "none", "e=hush"]))
        #expect(values == nil)
        #expect(
            SpecificationTesting.text(diagnostics) == """
                error: --set needs name=value, not '=2' [spec.set]
                error: --set needs name=value, not 'none' [spec.set]
                pipelines/a.yaml: error: --set names the parameter 'bb', which the spec does not \
                declare. Did you mean 'b'? [spec.unknown-parameter]
                pipelines/a.yaml:3:3: error: The parameters 'a', 'c', 'd' have no value \
                [spec.unset-parameter]
                  in: params.a
                  fix: pass --set a=…; write the file secrets/c or set the variable C; pass --set \
                d=…
                pipelines/a.yaml:4:3: error: 'b' must be a date such as 2026-01-31, today - 90d, \
                or now - 4h, not 'monday' (--set) [spec.parameter-value]
                  in: params.b
                pipelines/a.yaml:7:3: error: A secret must not be on the command line: 'e' \
                [spec.secret]
                  in: params.e
                  fix: name its source with `from`
                """)
    }

    @Test func checkDoesNotRequireSecretValues() throws {
        let context = SpecificationTesting.context(["count=x"])
        let diagnostics = ParameterValues.check(try spec(), context)
        #expect(
            SpecificationTesting.text(diagnostics) == """
                pipelines/a.yaml:7:3: error: 'count' must be a whole number, not 'x' (--set) \
                [spec.parameter-value]
                  in: params.count
                """)
    }

    @Test(
        arguments: [
            ("30m", 1800), ("1h30m", 5400), ("7d", 604_800), ("2w", 1_209_600), ("0s", 0),
            ("", nil),
            ("5", nil), ("m", nil), ("5x", nil), ("-5m", nil), ("99999999999999999w", nil),
        ] as [(String, Int64?)])
    func readsDurations(text: String, seconds: Int64?) {
        #expect(TimeText.duration(text) == seconds)
    }

    @Test(
        arguments: [
            ("today", 794_275_200), ("today-1d", 794_188_800), ("today + 2d", 794_448_000),
            ("now", 794_293_567.25), ("now - 4h", 794_279_167.25), ("2001-01-02", 86_400),
            ("2001-01-01T01:00:00+01:00", 0), ("yesterday", nil), ("today -", nil),
            ("today 5d", nil),
            ("nowhere", nil), ("today - d", nil),
        ] as [(String, Double?)])
    func readsDates(text: String, seconds: Double?) {
        #expect(TimeText.date(text, now: 794_293_567.25) == seconds)
    }
}
