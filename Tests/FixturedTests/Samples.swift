import FixtureCassette
import FixtureHTTP
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder of its own for one test, removed with its files at the end.
final class ScratchFolder {
  let path: String
  private var files: Set<String> = []

  init() {
    var template = ("/tmp/fixtured-test-" + String(repeating: "X", count: 6)).utf8CString.map { $0 }
    path = String(cString: mkdtemp(&template))
  }

  deinit {
    for file in files { unlink(file) }
    rmdir(path)
  }

  func file(_ name: String) -> String {
    let file = "\(path)/\(name)"
    files.insert(file)
    return file
  }

  /// A cassette with these interactions, finished.
  func cassette(
    _ drafts: [InteractionDraft], description: CassetteDescription = CassetteDescription(),
    named name: String = "a.db"
  ) throws -> String {
    let path = file(name)
    let writer = try CassetteWriter.create(
      path: path, description: description, durability: .process)
    for draft in drafts { writer.commit(draft) { _ in } }
    try writer.close()
    return path
  }
}

func fields(_ lines: (StaticString, String)...) -> FieldSection {
  var section = FieldSection()
  for (name, value) in lines { section.append(name, value) }
  return section
}

enum Sample {
  /// 2025-01-31T12:00:00.5Z
  static let started_us: Int64 = 1_738_324_800_500_000

  static func interaction(
    id: Int64 = 1, request: RequestHead = RequestHead(method: .get, target: Array("/feed".utf8)),
    response: RecordedResponse? = RecordedResponse(
      head: ResponseHead(
        status: 200, reason: Array("OK".utf8), fields: fields(("Content-Type", "text/plain"))),
      framing: .length)
  ) -> Interaction {
    Interaction(
      id: id, startedAt_us: started_us, scheme: "https", authority: "api.example.com",
      request: request, response: response, connection: 1, firstByte_us: 12_500, end_us: 20_000)
  }

  static func draft(_ interaction: Interaction, response: String? = nil) -> InteractionDraft {
    InteractionDraft(
      interaction: interaction, requestBody: .absent,
      responseBody: response.map { .bytes(Array($0.utf8)) } ?? .absent)
  }
}
