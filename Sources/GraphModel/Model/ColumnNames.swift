/// The column names in Core Data's layout, before siblings' columns are numbered.
package enum ColumnNames {
    /// Returns whether a name is safe to insert into SQL: letters, digits, and underscores, with no
    /// digit at the start.
    package static func isSafe(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first else { return false }
        return (first == "_" || first.properties.isAlphabetic)
            && name.unicodeScalars.allSatisfy {
                $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
            }
    }

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
