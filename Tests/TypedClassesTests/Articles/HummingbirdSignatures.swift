import Foundation

// The part of Hummingbird 2 that the article on servers uses, with the same names and signatures.
// So the article's code is compiled and run without the package and its many dependencies.

protocol ResponseGenerator {}

protocol ResponseEncodable: Encodable, ResponseGenerator {}

extension Array: ResponseGenerator where Element: ResponseEncodable {}

protocol RequestContext: Sendable {
    var parameters: Parameters { get }
}

struct BasicRequestContext: RequestContext {
    var parameters = Parameters()
}

struct Parameters: Sendable {
    var values: [String: String] = [:]

    func get(_ name: String) -> String? { values[name] }

    func require(_ name: String, as type: UUID.Type) throws -> UUID {
        guard let id = values[name].flatMap(UUID.init(uuidString:)) else {
            throw HTTPError(.badRequest)
        }
        return id
    }
}

struct Request: Sendable {
    struct URI: Sendable {
        var queryParameters = Parameters()
    }

    var uri = URI()
    var body = Data()

    func decode<Value: Decodable>(
        as type: Value.Type, context: some RequestContext
    ) async throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }
}

enum HTTPResponse {
    enum Status: Int {
        case ok = 200
        case created = 201
        case badRequest = 400
        case notFound = 404
        case unprocessableContent = 422
    }
}

struct HTTPError: Error {
    var status: HTTPResponse.Status
    var message: String?

    init(_ status: HTTPResponse.Status, message: String? = nil) {
        self.status = status
        self.message = message
    }
}

struct EditedResponse<Generator: ResponseGenerator>: ResponseGenerator {
    var status: HTTPResponse.Status?
    var responseGenerator: Generator

    init(status: HTTPResponse.Status? = nil, response: Generator) {
        self.status = status
        responseGenerator = response
    }
}

final class Router<Context: RequestContext> {
    private var handlers: [String: (Request, Context) async throws -> any ResponseGenerator] = [:]

    init() where Context == BasicRequestContext {}

    func get<Output: ResponseGenerator>(
        _ path: String, use handler: @escaping @Sendable (Request, Context) async throws -> Output
    ) {
        handlers["GET \(path)"] = handler
    }

    func post<Output: ResponseGenerator>(
        _ path: String, use handler: @escaping @Sendable (Request, Context) async throws -> Output
    ) {
        handlers["POST \(path)"] = handler
    }

    func put<Output: ResponseGenerator>(
        _ path: String, use handler: @escaping @Sendable (Request, Context) async throws -> Output
    ) {
        handlers["PUT \(path)"] = handler
    }

    /// Calls the handler of a route.
    func respond(
        to route: String, _ request: Request, _ context: Context
    ) async throws -> any ResponseGenerator {
        guard let handler = handlers[route] else { throw HTTPError(.notFound) }
        return try await handler(request, context)
    }
}

struct ApplicationConfiguration {
    enum Address {
        case hostname(String, port: Int)
    }

    var address: Address
}

struct Application {
    init<Context>(router: Router<Context>, configuration: ApplicationConfiguration) {}

    func runService() async throws {}
}
