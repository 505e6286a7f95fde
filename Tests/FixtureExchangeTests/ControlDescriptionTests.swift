import FixtureExchange
import FixtureHTTP
import Foundation
import Testing

/// The OpenAPI document against what is understood.
@Suite struct `What the control API says of itself` {
  /// Where the document has each request; a new one does not compile before it is here.
  private func place(_ request: ControlRequest) -> String {
    let session = "/v1/sessions/{session}"
    return switch request {
    case .health: "get /v1/health"
    case .description: "get /v1/openapi.json"
    case .metrics: "get /metrics"
    case .sessions: "get /v1/sessions"
    case .create: "post /v1/sessions"
    case .session: "get \(session)"
    case .delete: "delete \(session)"
    case .reset: "post \(session)/reset"
    case .scenario: "put \(session)/scenario"
    case .flags: "post \(session)/flags"
    case .tags: "post \(session)/etags"
    case .release: "post \(session)/gates/{gate}/release"
    case .clock: "put \(session)/clock"
    case .exchanges: "get \(session)/exchanges"
    case .exchange: "get \(session)/exchanges/{number}"
    case .verdict: "get \(session)/verdict"
    case .events: "get \(session)/events"
    case .interactions: "get \(session)/interactions"
    case .inspector: "get /"
    }
  }

  private static let methods = ["get", "head", "post", "put", "patch", "delete", "options"]

  private var operations: [(place: String, operation: [String: Any])] {
    get throws {
      let json = try JSONSerialization.jsonObject(with: Data(ControlDescription.content))
      let paths = try #require((json as? [String: Any])?["paths"] as? [String: [String: Any]])
      return paths.sorted { $0.key < $1.key }.flatMap { path, item in
        Self.methods.compactMap { method in
          (item[method] as? [String: Any]).map { ("\(method) \(path)", $0) }
        }
      }
    }
  }

  /// Content that a request makes sense with, where it needs some.
  private static let contents = [
    "changeFlags": #"{"raise":["a"]}"#, "changeClock": #"{"run":true}"#,
  ]

  private func understood(_ place: String, _ operation: [String: Any]) throws -> ControlRequest {
    let words = place.split(separator: " ")
    let target = words[1].replacing("{session}", with: "s1").replacing("{gate}", with: "door")
      .replacing("{number}", with: "1")
    let content = Self.contents[operation["operationId"] as? String ?? ""]
    return try ControlRequest(
      RequestHead(
        method: Method(Array(words[0].uppercased().utf8)), target: Array(target.utf8),
        fields: try section("Content-Type: application/json")), content: Array((content ?? "").utf8)
    )
  }

  @Test func `every path and method of it is understood as what it says`() throws {
    let operations = try operations
    #expect(operations.count == 19)
    for (place, operation) in operations {
      #expect(try self.place(understood(place, operation)) == place)
    }
  }

  @Test func `other methods of its paths are not understood`() throws {
    let places = try Set(operations.map(\.place))
    for path in Set(places.map { $0.split(separator: " ")[1] }) {
      for method in Self.methods where method != "head" && !places.contains("\(method) \(path)") {
        #expect(throws: ControlError.self, "\(method) \(path)") {
          try understood("\(method) \(path)", [:])
        }
      }
    }
  }

  /// What a request may send is what the document lists: each member and parameter is taken, and
  /// no other.
  @Test func `the members and parameters it lists are those that are taken`() throws {
    let json = try JSONSerialization.jsonObject(with: Data(ControlDescription.content))
    let components = (json as? [String: Any])?["components"] as? [String: Any]
    let schemas = try #require(components?["schemas"] as? [String: [String: Any]])
    for (place, operation) in try operations {
      let words = place.split(separator: " ")
      let path = String(words[1]).replacing("{session}", with: "s1")
        .replacing("{gate}", with: "door").replacing("{number}", with: "1")
      func refusal(_ target: String, _ content: String) throws -> String {
        do {
          _ = try ControlRequest(
            RequestHead(
              method: Method(Array(words[0].uppercased().utf8)), target: Array(target.utf8),
              fields: try section("Content-Type: application/json")), content: Array(content.utf8))
          return ""
        } catch let error as ControlError {
          return error.detail
        }
      }
      let body = operation["requestBody"] as? [String: Any]
      let schema =
        ((body?["content"] as? [String: [String: Any]])?["application/json"]?["schema"]
        as? [String: String])?["$ref"]?.split(separator: "/").last.map(String.init)
      if let schema {
        let properties = try #require(schemas[schema]?["properties"] as? [String: Any])
        for name in properties.keys {
          #expect(try !refusal(path, "{\"\(name)\":{}}").contains("no member"), "\(place) \(name)")
        }
        #expect(try refusal(path, #"{"unheard":{}}"#).contains("no member"), "\(place)")
      }
      for parameter in operation["parameters"] as? [[String: Any]] ?? [] {
        let name = try #require(parameter["name"] as? String)
        // Any text is understood.
        let schema = parameter["schema"] as? [String: Any]
        guard schema?["type"] as? String == "integer" else { continue }
        #expect(try refusal("\(path)?\(name)=x", "").contains(name), "\(place) \(name)")
      }
    }
  }
}
