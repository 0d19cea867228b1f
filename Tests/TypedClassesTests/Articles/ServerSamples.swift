import Foundation
import GraphStore
import Testing

struct TaskService: Sendable {
    struct NewTask: Decodable, Sendable {
        var title: String
        var category: String?
    }

    let container: PersistentContainer

    init(storeAt path: String, model: ManagedObjectModel) throws {
        container = try PersistentContainer(model: model, at: path, opening: .create)
        container.register(TasksClasses.all)
    }

    func open(after title: String, limit: Int) async throws -> [Task.Row] {
        try await container.background { context in
            try context.fetch(
                Task.request.where(\.isCompleted == false && \.title > title)
                    .sort(\.title).limit(limit)
            ).map(Task.Row.init)
        }
    }

    func create(_ new: NewTask) async throws -> Task.Row {
        try await container.background { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let task = context.insert(Task.self) {
                $0.id = UUID()
                $0.title = new.title
            }
            if let name = new.category {
                task.category = context.insert(Category.self) { $0.name = name }
            }
            try context.save()
            return Task.Row(task)
        }
    }

    func complete(_ id: UUID) async throws -> Task.Row? {
        try await container.background { context in
            guard let task = try context.fetch(Task.request.where(\.id == id)).first
            else { return nil }
            task.isCompleted = true
            try context.save()
            return Task.Row(task)
        }
    }
}

extension Task.Row: ResponseEncodable {}

func routes(_ tasks: TaskService) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("tasks") { request, _ in
        let after = request.uri.queryParameters.get("after") ?? ""
        return try await tasks.open(after: after, limit: 50)
    }
    router.post("tasks") { request, context in
        let new = try await request.decode(as: TaskService.NewTask.self, context: context)
        do {
            let task = try await tasks.create(new)
            return EditedResponse(status: .created, response: task)
        } catch let error as StoreError where error.code == .validation {
            throw HTTPError(.unprocessableContent, message: error.message)
        }
    }
    router.put("tasks/:id/complete") { _, context in
        let id = try context.parameters.require("id", as: UUID.self)
        guard let task = try await tasks.complete(id) else { throw HTTPError(.notFound) }
        return task
    }
    return router
}

/// The program of the article, which is compiled but not run.
func serve() async throws {
    let model = try ManagedObjectModel(yamlFile: "tasks.yaml")
    let service = try TaskService(storeAt: "tasks.sqlite", model: model)
    let app = Application(
        router: routes(service), configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
    try await app.runService()
}

/// The samples of the article "A server with Hummingbird", compiled and run.
@Suite("Articles: a server") struct ServerSamples {
    private let folder: ExampleFolder
    private let service: TaskService

    init() throws {
        folder = try ExampleFolder()
        service = try TaskService(
            storeAt: folder.path("service.sqlite"), model: .example("tasks"))
    }

    @Test func theService() async throws {
        let milk = try await service.create(.init(title: "Buy milk", category: "Home"))
        let plants = try await service.create(.init(title: "Water plants", category: "Home"))
        #expect(milk.category == plants.category)
        #expect(
            try await service.open(after: "Buy milk", limit: 10).map(\.title) == ["Water plants"])
        #expect(try await service.complete(milk.id)?.isCompleted == true)
        #expect(try await service.complete(UUID()) == nil)
    }

    private func post(_ json: String) async throws -> any ResponseGenerator {
        var request = Request()
        request.body = Data(json.utf8)
        return try await routes(service).respond(to: "POST tasks", request, BasicRequestContext())
    }

    private func complete(_ id: String) async throws -> any ResponseGenerator {
        var context = BasicRequestContext()
        context.parameters.values["id"] = id
        return try await routes(service)
            .respond(to: "PUT tasks/:id/complete", Request(), context)
    }

    @Test func theRoutes() async throws {
        let created = try await post(#"{"title": "Buy milk"}"#) as? EditedResponse<Task.Row>
        let milk = try #require(created).responseGenerator
        #expect(created?.status == .created && milk.title == "Buy milk")
        _ = try await post(#"{"title": "Call Ann", "category": "Work"}"#)
        let refusal = await #expect(throws: HTTPError.self) {
            _ = try await post(#"{"title": ""}"#)
        }
        #expect(refusal?.status == .unprocessableContent)
        #expect(try await (complete(milk.id.uuidString) as? Task.Row)?.isCompleted == true)
        for (id, status) in [
            (UUID().uuidString, HTTPResponse.Status.notFound), ("x", .badRequest),
        ] {
            let error = await #expect(throws: HTTPError.self) { _ = try await complete(id) }
            #expect(error?.status == status)
        }
        var request = Request()
        request.uri.queryParameters.values["after"] = "B"
        let open = try await routes(service)
            .respond(to: "GET tasks", request, BasicRequestContext())
        #expect((open as? [Task.Row])?.map(\.title) == ["Call Ann"])
    }
}
