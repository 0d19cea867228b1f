/// The names that Core Data's layout has for columns, before siblings' are numbered.
package enum ColumnNames {
    /// `Z` and the name in capitals.
    ///
    /// The element of a composite has its path, joined by underscores: `magnitude.richter` is
    /// `ZMAGNITUDE_RICHTER`. That is our choice, for how Apple's framework names these columns is
    /// not known.
    package static func name(of property: String) -> String {
        "Z" + joined(property).uppercased()
    }

    /// A property's name without what names of columns and indexes may not have.
    package static func joined(_ property: String) -> String {
        property.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "_")
    }
}
