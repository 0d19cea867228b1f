import Foundation
import GraphStore
import Testing

#if canImport(CryptoKit)
    import CryptoKit
#elseif canImport(Crypto)
    import Crypto
#endif

// This package does not depend on swift-crypto. `Tests/server-samples` compiles and runs this file with it.
#if canImport(CryptoKit) || canImport(Crypto)
    struct SealedTextTransformer: AttributeTransformer {
        struct Damaged: Error {}

        let key: SymmetricKey

        func encode(_ value: String) throws -> [UInt8] {
            let box = try AES.GCM.seal(Data(value.utf8), using: key)
            guard let bytes = box.combined else { throw Damaged() }
            return Array(bytes)
        }

        func decode(_ bytes: [UInt8]) throws -> String {
            let box = try AES.GCM.SealedBox(combined: bytes)
            let data = try AES.GCM.open(box, using: key)
            guard let text = String(validating: data, as: UTF8.self) else { throw Damaged() }
            return text
        }
    }

    /// The samples of the article "Transformers" about encryption, compiled and run.
    @Suite("Articles: encryption") struct EncryptionSamples {
        private let folder: ExampleFolder
        private let model: ManagedObjectModel
        private let key = SymmetricKey(size: .bits256)
        private let text = TransformableKey<String>("text")
        private let notes = FetchRequest<ManagedObject>(entityName: "Note")

        init() throws {
            folder = try ExampleFolder()
            model = try ManagedObjectModel(
                yaml: """
                    model: 1
                    entities:
                      Note: { attributes: { text: { type: Transformable, transformer: sealed } } }
                    """)
        }

        /// A container over the store of a test.
        private func openStore(with key: SymmetricKey) throws -> PersistentContainer {
            let container = try PersistentContainer(
                model: model, at: folder.path("sealed.sqlite"), opening: .create)
            container.register(SealedTextTransformer(key: key), named: "sealed")
            return container
        }

        private func errorCode(reading note: ManagedObject) -> StoreError.Code? {
            #expect(throws: StoreError.self) {
                _ = try note.transformedValue(forKey: "text", as: String.self)
            }?.code
        }

        @Test func encryptsAndDecryptsValuesOfAStore() throws {
            let container = try openStore(with: key)
            let context = container.newContext()
            let texts = ["", "The code is 1234", String(repeating: "Grüße 🔑 ", count: 5_000)]
            for value in texts { try context.insert("Note")[text] = value }
            try context.save()
            context.reset()
            let found = try context.fetch(notes)
            #expect(found.compactMap { $0[text] }.sorted() == texts.sorted())
            for note in found {
                let bytes = try #require(note[.binary("text")])
                let value = try #require(note[text])
                // The nonce has 12 bytes, and the tag 16.
                #expect(bytes.count == 12 + value.utf8.count + 16)
                #expect(value.isEmpty || bytes.firstRange(of: value.utf8) == nil)
            }
        }

        @Test func anotherKeyCannotReadTheValue() throws {
            let context = try openStore(with: key).newContext()
            try context.insert("Note")[text] = "The code is 1234"
            try context.save()
            let other = try openStore(with: SymmetricKey(size: .bits256))
            let note = try #require(try other.newContext().fetch(notes).first)
            #expect(errorCode(reading: note) == .corrupt)
        }

        @Test func oneChangedByteMakesReadingFail() throws {
            let context = try openStore(with: key).newContext()
            let note = try context.insert("Note")
            note[text] = "The code is 1234"
            try context.save()
            var bytes = try #require(note[.binary("text")])
            bytes[20] ^= 1
            note[.binary("text")] = bytes
            try context.save()
            context.reset()
            let same = try #require(try context.fetch(notes).first)
            #expect(errorCode(reading: same) == .corrupt)
        }

        @Test func equalValuesHaveDifferentBytesAndAreAChange() throws {
            let transformer = SealedTextTransformer(key: key)
            #expect(try transformer.encode("same") != transformer.encode("same"))
            let context = try openStore(with: key).newContext()
            let note = try context.insert("Note")
            note[text] = "same"
            try context.save()
            note[text] = "same"
            #expect(note.changedKeys == ["text"])
        }

        @Test func sampleOfTheArticle() throws {
            let container = try PersistentContainer.ephemeral(model: model)
            container.register(SealedTextTransformer(key: key), named: "sealed")
            let context = container.newContext()
            try context.insert("Note")[text] = "The code is 1234"
            try context.save()
            context.reset()
            #expect(try context.fetch(notes).map { $0[text] } == ["The code is 1234"])
        }
    }
#endif
