import Foundation
import Testing

/// Each answer of the control API against the OpenAPI document that it gives of itself.
@Suite struct ControlDescriptionTests {
  @Test func `answers have the members that the document gives them`() throws {
    let replay = try Controlled()
    let description = try Description(replay.ask("GET /v1/openapi.json").json)
    let session = try replay.session(
      #"{"scenario":"GET /feed: first 1, status 503, retry-after 900s\nGET /held: hold door"}"#)
    for target in ["/feed", "/feed", "/none"] {
      _ = try replay.status(target, port: session.port)
    }
    let held = try RawSocket(port: session.port)
    held.send(Controlled.get("/held"))
    try replay.waitForExchanges(4, in: session.id)
    let path = "/v1/sessions/\(session.id)"
    let asked: [(String, String, String?, Int)] = [
      ("get /v1/health", "/v1/health", nil, 200),
      ("get /v1/sessions", "/v1/sessions", nil, 200),
      ("post /v1/sessions", "/v1/sessions", #"{"seed":"18446744073709551615"}"#, 201),
      ("get /v1/sessions/{session}", path, nil, 200),
      ("get /v1/sessions/{session}/exchanges", "\(path)/exchanges", nil, 200),
      ("get /v1/sessions/{session}/exchanges/{number}", "\(path)/exchanges/1", nil, 200),
      ("get /v1/sessions/{session}/exchanges/{number}", "\(path)/exchanges/3", nil, 200),
      ("get /v1/sessions/{session}/exchanges/{number}", "\(path)/exchanges/4", nil, 200),
      ("get /v1/sessions/{session}/exchanges/{number}", "\(path)/exchanges/9", nil, 404),
      (
        "get /v1/sessions/{session}/interactions", "\(path)/interactions?search=a&limit=1", nil,
        200
      ),
      ("get /v1/sessions/{session}/verdict", "\(path)/verdict?attempts-max=1", nil, 200),
      ("post /v1/sessions/{session}/gates/{gate}/release", "\(path)/gates/door/release", nil, 200),
      ("post /v1/sessions/{session}/flags", "\(path)/flags", #"{"raise":["a"]}"#, 200),
      ("post /v1/sessions/{session}/flags", "\(path)/flags", "{}", 400),
      ("post /v1/sessions/{session}/etags", "\(path)/etags", "{}", 200),
      ("put /v1/sessions/{session}/clock", "\(path)/clock", #"{"freeze":"now"}"#, 200),
      ("put /v1/sessions/{session}/scenario", "\(path)/scenario", #"{"scenario":""}"#, 200),
      ("post /v1/sessions/{session}/reset", "\(path)/reset", nil, 200),
      ("delete /v1/sessions/{session}", path, nil, 200),
    ]
    for (place, target, content, status) in asked {
      let method = place.split(separator: " ")[0].uppercased()
      let answer = try replay.ask("\(method) \(target)", content)
      #expect(answer.status == status, "\(place)")
      let problems = try description.problems(answer.json, of: place, status: status)
      #expect(problems.isEmpty, "\(place): \(problems)")
    }
    // Those whose answers are text, or the document.
    let others: Set = [
      "get /v1/openapi.json", "get /metrics", "get /", "get /v1/sessions/{session}/events",
    ]
    #expect(Set(asked.map(\.0)).union(others) == description.places)
  }

  @Test func `the checker sees what does not belong, and what is missing`() throws {
    let replay = try Controlled()
    let description = try Description(replay.ask("GET /v1/openapi.json").json)
    let place = "get /v1/health"
    #expect(try description.problems(["status": "ok"], of: place, status: 200).isEmpty)
    #expect(try description.problems(["status": 1], of: place, status: 200).count == 2)
    #expect(try description.problems([:], of: place, status: 200).count == 1)
    #expect(try description.problems(["status": "ok", "a": 1], of: place, status: 200).count == 1)
  }

  /// As much of JSON Schema as the document uses.
  private struct Description {
    let paths: [String: [String: Any]]
    let schemas: [String: [String: Any]]

    init(_ json: [String: Any]) throws {
      #expect(json["openapi"] as? String == "3.1.0")
      paths = try #require(json["paths"] as? [String: [String: Any]])
      let components = json["components"] as? [String: Any]
      schemas = try #require(components?["schemas"] as? [String: [String: Any]])
    }

    var places: Set<String> {
      Set(
        paths.flatMap { path, item in
          item.keys.filter { $0 != "parameters" }.map { "\($0) \(path)" }
        })
    }

    func problems(_ json: Any, of place: String, status: Int) throws -> [String] {
      let words = place.split(separator: " ").map(String.init)
      let operation = try #require(paths[words[1]]?[words[0]] as? [String: Any])
      let responses = try #require(operation["responses"] as? [String: [String: Any]])
      let response = try #require(responses["\(status)"] ?? responses["default"])
      let types = try #require(response["content"] as? [String: [String: Any]])
      let schema = try #require(types.first?.value["schema"] as? [String: Any])
      return problems(json, schema, at: "")
    }

    private func problems(_ json: Any, _ schema: [String: Any], at path: String) -> [String] {
      if let reference = schema["$ref"] as? String,
        let name = reference.split(separator: "/").last, let schema = schemas[String(name)]
      {
        return problems(json, schema, at: path)
      }
      var found: [String] = []
      let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
      if !types.isEmpty, !types.contains(where: { Self.isType($0, json) }) {
        found.append("\(path) is no \(types)")
      }
      if let words = schema["enum"] as? [Any], !words.contains(where: { "\($0)" == "\(json)" }) {
        found.append("\(path) is not one of \(words)")
      }
      if let object = json as? [String: Any],
        let properties = schema["properties"] as? [String: Any]
      {
        for name in schema["required"] as? [String] ?? [] where object[name] == nil {
          found.append("\(path)/\(name) is missing")
        }
        for (name, value) in object {
          if let property = properties[name] as? [String: Any] {
            found += problems(value, property, at: "\(path)/\(name)")
          } else {
            found.append("\(path)/\(name) is not described")
          }
        }
      }
      if let elements = json as? [Any], let items = schema["items"] as? [String: Any] {
        for (index, element) in elements.enumerated() {
          found += problems(element, items, at: "\(path)/\(index)")
        }
      }
      return found
    }

    private static func isType(_ type: String, _ json: Any) -> Bool {
      switch type {
      case "object": json is [String: Any]
      case "array": json is [Any]
      case "string": json is String
      case "null": json is NSNull
      case "boolean": (json as? NSNumber).map(isBoolean) ?? false
      case "number": (json as? NSNumber).map { !isBoolean($0) } ?? false
      case "integer":
        (json as? NSNumber).map { !isBoolean($0) && $0.doubleValue == $0.doubleValue.rounded() }
          ?? false
      default: false
      }
    }

    /// JSON's `true` is an `NSNumber` that is kept as a character.
    private static func isBoolean(_ number: NSNumber) -> Bool {
      String(cString: number.objCType) == "c"
    }
  }
}
