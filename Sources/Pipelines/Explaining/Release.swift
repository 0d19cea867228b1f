/// The release of etl.
package enum Release {
    /// The version, as `etl --version` prints it.
    package static let version = "0.1.0"
}
