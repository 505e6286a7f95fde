import FixtureCassette
import FixtureHTTP
import Synchronization

@testable import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder of its own for one test, removed with what is in it at the end.
final class Folder {
  let path: String

  /// - Parameter inMemory: for a test that makes hundreds of cassettes, where the system has such
  ///   a place.
  init(inMemory: Bool = false) {
    let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/fixture-store-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template))
  }

  deinit {
    chmod(path, 0o755)
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// What this process has open of it, sorted; a removed file too.
  var openNames: [String] {
    // Other tests may have thousands open.
    let paths = Self.names(in: "/proc/self/fd").map { descriptor in
      var target = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
      return String(
        decoding: target.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return paths.filter { $0.hasPrefix(file("")) }.map { String($0.dropFirst(path.count + 1)) }
      .sorted()
  }

  /// What is in it, sorted.
  var names: [String] { Self.names(in: path) }

  private static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}

func contents(_ path: String) -> [UInt8] {
  let file = fopen(path, "rb")
  guard let file else { return [] }
  defer { fclose(file) }
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    result += buffer[..<count]
  }
  return result
}

func size(_ path: String) -> Int64 {
  var facts = stat()
  return stat(path, &facts) == 0 ? Int64(facts.st_size) : -1
}

func write(_ bytes: some Sequence<UInt8>, to path: String) {
  let file = fopen(path, "wb")
  defer { fclose(file) }
  let bytes = Array(bytes)
  fwrite(bytes, 1, bytes.count, file)
}

/// Copies a cassette as a killed process would leave it: the file, its log and the log's index.
func copyUnfinished(_ source: String, to target: String) {
  write(contents(source), to: target)
  write(contents(source + "-wal"), to: target + "-wal")
  write(contents(source + "-shm"), to: target + "-shm")
}

func fields(_ lines: KeyValuePairs<String, String>) -> FieldSection {
  var section = FieldSection()
  for (name, value) in lines { section.append(name: name.utf8, value: value.utf8) }
  return section
}

/// A GET and its 200, answered at once by one piece, or without a body when there are no bytes.
func draft(id: Int64, target: String = "/", body: InteractionDraft.Body = .absent, size: Int = 0)
  -> InteractionDraft
{
  var arrivals = Arrivals()
  if size > 0 { arrivals.append(offset_us: 5, count: Int64(size)) }
  let interaction = Interaction(
    id: id, startedAt_us: 1_700_000_000_000_000 + id, scheme: "http", authority: "a.test",
    request: RequestHead(
      method: .get, target: Array(target.utf8), fields: fields(["Host": "a.test"])),
    response: RecordedResponse(
      head: ResponseHead(
        status: 200, reason: Array("OK".utf8), fields: fields(["Content-Type": "text/plain"])),
      framing: .length, arrivals: arrivals),
    connection: 1, firstByte_us: 3, end_us: 9)
  return InteractionDraft(interaction: interaction, requestBody: .absent, responseBody: body)
}

func draft(id: Int64, target: String = "/", content: [UInt8]) -> InteractionDraft {
  draft(id: id, target: target, body: .bytes(content), size: content.count)
}

func pattern(_ count: Int, salt: Int = 0) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ salt) }
}

/// Runs SQL on a cassette as some other program would.
func tamper(_ path: String, _ sql: String) throws {
  let connection = try SQLiteConnection(path: path, mode: .readWrite)
  try connection.execute(sql)
}

/// A finished cassette of these drafts.
func record(_ drafts: [InteractionDraft], to path: String) throws {
  let writer = try CassetteWriter.create(
    path: path, description: .init(), durability: .process)
  for draft in drafts {
    if let failure = writer.commitNow(draft) { throw failure }
  }
  try writer.close()
}

/// Results of commits, as they come.
final class Completions: Sendable {
  private let results = Monitor([Int64: StoreError?]())

  func callback(_ id: Int64) -> @Sendable (StoreError?) -> Void {
    { [results] error in
      results.withLock { $0[id] = .some(error) }
      results.signal()
    }
  }

  /// Waits for the commit of this id.
  func wait(_ id: Int64) -> StoreError? { results.wait { $0[id] } }

  /// The ids that were stored, ascending.
  var stored: [Int64] {
    results.withLock { results in
      results.filter { if case .some(nil) = Optional($0.value) { true } else { false } }
        .keys.sorted()
    }
  }

  var count: Int { results.withLock(\.count) }
}

extension CassetteWriter {
  /// Commits and waits.
  func commitNow(_ draft: InteractionDraft) -> StoreError? {
    let completions = Completions()
    commit(draft, completion: completions.callback(1))
    return completions.wait(1)
  }
}

extension CassetteWriter {
  /// Commits in place as soon as the writer's thread has nothing to do; waits for nothing else
  /// when that may not be.
  func commitSoon(_ draft: InteractionDraft) -> StoreError? {
    while failure == nil {
      switch commitInPlace(draft) {
      case .success?: return nil
      case .failure(let error)?: return error
      case nil: usleep(100)
      }
    }
    return failure
  }
}

extension CassetteReader {
  func content(_ body: Int64, by step: Int = 1 << 16) throws(StoreError) -> [UInt8] {
    var result: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = try read(body: body, offset: Int64(result.count), into: buffer)
      if count == 0 { return result }
      result += buffer[..<count]
    }
  }
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var hash = SHA256()
  bytes.withUnsafeBytes { hash.update($0) }
  return hash.finalize()
}
