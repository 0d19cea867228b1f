import AppStoreFixtures
import Foundation
import Testing

@testable import XcodeModel

@Suite(
    "Model caches that apps wrote",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct CachedModelSpecimenTests {
    @Test("finds every specimen, with its bundle of models if there is one")
    func findsSpecimens() {
        #expect(CoreDataSpecimens.stores.count == 19)
        #expect(
            CoreDataSpecimens.stores.filter { $0.bundle == nil }.map(\.name)
                == ["SampleModel2_V1.sqlite", "SampleModel2_V2.sqlite"])
        #expect(CoreDataSpecimens.models.count >= 20)
    }
}
