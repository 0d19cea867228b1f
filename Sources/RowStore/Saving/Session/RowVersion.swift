/// The version of a row, in `Z_OPT`, which each save that changes the object raises once.
///
/// Versions are only compared for equality. After the largest integer, which only a damaged store
/// contains, they start again at 1.
package enum RowVersion {
    /// The SQL assignment that raises a row's version; a missing one becomes 1.
    static let raise = "Z_OPT = ifnull(Z_OPT, 0) % \(Int64.max) + 1"
    /// The SQL assignment that takes one raise back.
    static let lower = "Z_OPT = CASE Z_OPT WHEN 1 THEN \(Int64.max) ELSE Z_OPT - 1 END"

    /// Returns the version that follows.
    package static func next(after version: Int64) -> Int64 { version < .max ? version + 1 : 1 }
}
