import Foundation

/// Where random tests begin: anew in each run, or where `ETL_TEST_SEED` says.
public enum TestSeed {
    /// Printed once, since a test that ends the process tells nothing of it.
    public static let ofThisRun: UInt64 = {
        let given = ProcessInfo.processInfo.environment["ETL_TEST_SEED"].flatMap(UInt64.init)
        let seed = given ?? .random(in: 0 ... .max)
        print("Random tests: ETL_TEST_SEED=\(seed)")
        return seed
    }()
}
