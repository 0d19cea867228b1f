import Foundation

/// The seed of all random tests of a run.
///
/// The default is pinned, so that two runs of the same code give the same result.
/// `ETL_TEST_SEED=random` takes a new seed, and `ETL_TEST_SEED=N` repeats the seed N.
public enum TestSeed {
    /// The default.
    public static let pinned: UInt64 = 20_261_121

    /// The seed that the random tests of this process use.
    ///
    /// It is printed once before the first random test, since a test that ends the process reports
    /// nothing.
    public static let ofThisRun: UInt64 = {
        let seed: UInt64
        switch ProcessInfo.processInfo.environment["ETL_TEST_SEED"] {
        case nil, "": seed = pinned
        case "random": seed = .random(in: 0 ... .max)
        case let text?:
            guard let number = UInt64(text) else {
                preconditionFailure(
                    "ETL_TEST_SEED is '\(text)'; set it to 'random' or to an unsigned integer")
            }
            seed = number
        }
        print("Random tests use this seed. To repeat them: ETL_TEST_SEED=\(seed) swift test")
        return seed
    }()
}
