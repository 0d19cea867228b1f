import Foundation
import Testing

@Suite("Version hashes of the models in pipelines/") struct ModelHashTests {
    /// From `coredata_hash.py model` over the equivalent Xcode models among the fixtures.
    private static let pinned = [
        "task-model": """
        Category ce1f954c6f81941011b10aef3a4618460d38067f60fbc2285f636357542273a1
        Tag b637ad5be01099b2af41ec6fb78712f6583bcea81cf44ea1014a208f31dd2021
        Task 4c8c4b39e004f36821efa99cd5fb1d89f435022b22bfc47285acf9ed71965ab1
        digest bg5I1gM55ePKs880oS8XecrpugVVamsLmt5F37H36cHa34hfXG/zyt/9rZmMDlp7CEkitZD3KQPL1KAZpEpdmQ==
        checksum qbiL9RW9p6Pb/BjqK80jGgyG/mLq/Uvfq/9AFmcEn7w=
        """,
        "chinook-model": """
        Album a3f5713120e03094dbaf9140775da83dbe6a6575536655d622855c55693437cf
        Artist 25af9d055a63d84dfb662918a8a8595cbfbaeaa36ea1049af2f550e075a00c68
        Customer fe3606e613599b0da566db54f8ce7f764163e2bde46eec52e86f0b07dade69bc
        Employee 90bb40da7670f102ef2e0e454fd155f1e6b59642d2fc28c4b9e192952301aa1a
        Genre 791af80c45c4959c7ef9f22e483f18b0cf1240ee1ab9891e8c686acdc599ad73
        Invoice dc74aa4ed8bbc5af25eb9b530f09f2361d7db44d2675a72304f6c4c949178bea
        InvoiceLine db6748b4662cb8cb23f2c88d674c0861a95ab3f98dc95d3d1bbb4c24ca0dc66a
        MediaType 139e5634baf246facdd27ca1dfb5bd21a49a7fe74c5889bd24ee38a6504ccf4e
        Playlist ecacdce11c82141473d41f23f8912ca7d9d72771e27f08c3db4983d891e3de0b
        Track 002b41ddc78e634a01677ebefb987e5b998f1d0cafe4d4dd3cdcf0b116f404ff
        digest 9EAEEVE6A+X5ds1gf6on949YJAnBRvcE9uRcYQn4HPrsOsDw8wqCCQFBySm/23yL97thK5QQmZcCH2X1K/PMdQ==
        checksum pH3t0uvjghXmNNiu/jwTk13qb1NlkBYd/opI6Mp2NYs=
        """,
    ]

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    /// Creates an empty store of a model.
    private func store(of model: String) throws -> String {
        let entity = model == "task-model" ? "Tag" : "Artist"
        try workspace.write(
            """
            etl: 1
            store: { at: ../out/empty.sqlite, model: \(model).yaml, open: create }
            stages: [{ export: \(entity), to: ../out/none.csv }]
            """, to: "pipelines/empty.yaml")
        try workspace.runSilently("empty")
        return workspace.path("out/empty.sqlite")
    }

    @Test func everyModelIsPinned() {
        #expect(
            Set(Repository.files(under: "pipelines", ending: "-model.yaml"))
                == Set(Self.pinned.keys.map { "pipelines/\($0).yaml" }))
    }

    @Test(arguments: ["task-model", "chinook-model"])
    func storesCarryThePinnedHashes(model: String) throws {
        let store = try store(of: model)
        let hex = try #require(Tool.sqlite(store, "SELECT hex(Z_PLIST) FROM Z_METADATA").first)
        let list = try PropertyListSerialization.propertyList(
            from: Data(hex: hex), format: nil)
        let metadata = try #require(list as? [String: Any])
        let hashes = try #require(metadata["NSStoreModelVersionHashes"] as? [String: Data])
        var lines = hashes.sorted { $0.key < $1.key }.map { name, hash in
            name + " " + hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        lines.append("digest \(metadata["NSStoreModelVersionHashesDigest"] as? String ?? "")")
        lines.append("checksum \(metadata["NSStoreModelVersionChecksumKey"] as? String ?? "")")
        #expect(lines.joined(separator: "\n") == Self.pinned[model])
    }

    @Test(
        .enabled(
            if: Repository.hasShared("tools/coredata_hash.py"),
            "the reference implementation of the hashes is not here"),
        arguments: ["task-model", "chinook-model"])
    func storesAgreeWithTheXcodeTwin(model: String) throws {
        let result = try Tool.run(
            "python3",
            [
                Repository.shared("tools/coredata_hash.py"), "pair", try store(of: model),
                Repository.path("Tests/CommandTests/Fixtures/\(model).xcdatamodel-contents.xml"),
            ])
        let count = (Self.pinned[model]?.split(separator: "\n").count ?? 0) - 2
        #expect(
            result
                == ToolResult(
                    status: 0,
                    standardOutput: "\(count)/\(count) entities match []\ndigest True\n"
                        + "checksum True\n"))
    }
}

extension Data {
    fileprivate init(hex: String) {
        var rest = hex[...]
        self.init()
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            append(byte)
            rest = rest.dropFirst(2)
        }
    }
}
