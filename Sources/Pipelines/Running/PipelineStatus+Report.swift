import Diagnostics
import FoundationEssentials

extension PipelineStatus {
    /// Finds the report of a run, and the later run that has none.
    ///
    /// - Parameter run: as for `StoredReport.find`.
    /// - Returns: The report, and the status of the spec or the store if `run` is one.
    /// - Throws: `RunFailure` as `StoredReport.find` does; if the only run was killed or is active,
    ///   the message states it.
    package static func report(
        of run: String, _ context: ParameterValues.Context
    ) throws(RunFailure) -> (report: StoredReport, status: PipelineStatus?) {
        let path = PathText.join(context.workingFolder, run)
        guard isStore(path) || ReportFolder.isSpec(path) else {
            return (try StoredReport.find(run, context), nil)
        }
        let status = try of(spec: path, context)
        do throws(RunFailure) {
            return (try StoredReport.find(run, context), status)
        } catch {
            guard var warning = status.warning(now: context.now) else { throw error }
            warning.severity = .error
            throw RunFailure(.noInput, [warning])
        }
    }
}

extension StoredReport {
    /// Returns the report as JSON, with the member `unended` if a later run has no report.
    package func json(with status: PipelineStatus?) throws -> String {
        guard let unended = status?.unended, case .object(var members) = report.json else {
            return try text(as: .json)
        }
        members.append(JSONTree.Member("unended", unended.json))
        if let pending = status?.pending {
            members.append(JSONTree.Member("toComplete", .list([pending.json])))
        }
        return JSONTree.object(members).formatted
    }
}
