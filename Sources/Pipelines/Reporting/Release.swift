/// Which etl this is.
package enum Release {
    /// The version, as `etl --version` prints it.
    package static let version = "0.1.0"
}
