import RecordStreams

/// The reason why an import cannot resume where an earlier attempt stopped.
struct CannotResume: Error {
    var reason: String
    /// Whether the reason is a change of the stage; its inputs may be unchanged.
    var isOfStage = false
    /// Whether a command returns the input again when it is repeated, without help by the user.
    var isOfCommand = false

    init(_ reason: String) {
        self.reason = reason
    }

    /// The error for a stage that has changed.
    static let changedStage: CannotResume = {
        var obstacle = CannotResume("the stage has changed")
        obstacle.isOfStage = true
        return obstacle
    }()

    /// The error for a command: it runs again, and the import reads all of its output.
    static let command: CannotResume = {
        var obstacle = CannotResume(
            "its command runs again, and the records update the objects that are saved")
        obstacle.isOfCommand = true
        return obstacle
    }()

    init(changed file: InputFile) {
        reason = "\(file.name) has changed"
    }
}
