/// The column names in Core Data's layout, before siblings' columns are numbered.
package enum ColumnNames {
    /// Returns `Z` followed by the name in uppercase.
    ///
    /// The element of a composite has its path, joined by underscores: `magnitude.richter` is
    /// `ZMAGNITUDE_RICHTER`. That is this library's choice, since the names of these columns in
    /// Apple's framework are not known.
    package static func name(of property: String) -> String {
        "Z" + joined(property).uppercased()
    }

    /// Returns a property's name with dots replaced by underscores, for columns and indexes.
    package static func joined(_ property: String) -> String {
        property.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "_")
    }
}
