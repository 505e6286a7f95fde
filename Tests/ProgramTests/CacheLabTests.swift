import Foundation
import Testing

/// What caches see of answers that rules make or change.
@Suite struct CacheLabTests {
  /// A private cache's view of an answer (RFC 9111 §3, §4.2), in whole seconds.
  struct Stored: Equatable, CustomStringConvertible {
    var isStored = true
    var lifetime: Int?
    var age = 0
    var needsQuestion = false

    /// - Parameter now: seconds since 1970.
    init(_ response: Client.Response, now: Int) {
      let directives = (response.value("Cache-Control") ?? "").split(separator: ",")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      isStored = !directives.contains("no-store")
      needsQuestion = directives.contains("no-cache")
      let date = Self.seconds(response.value("Date")) ?? now
      age = max(max(0, now - date), Int(response.value("Age") ?? "") ?? 0)
      if let maxAge = directives.first(where: { $0.hasPrefix("max-age=") }) {
        lifetime = Int(maxAge.dropFirst(8))
      } else if let expires = Self.seconds(response.value("Expires")) {
        lifetime = expires - date
      } else if let modified = Self.seconds(response.value("Last-Modified")) {
        lifetime = (date - modified) / 10
      }
    }

    init(_ lifetime: Int?, age: Int = 0, isStored: Bool = true, needsQuestion: Bool = false) {
      self.lifetime = lifetime
      self.age = age
      self.isStored = isStored
      self.needsQuestion = needsQuestion
    }

    var isFresh: Bool { isStored && !needsQuestion && (lifetime ?? 0) > age }

    var description: String {
      "\(isStored ? "stored" : "not stored") for \(lifetime.map(String.init) ?? "nothing"), age \(age)"
        + (needsQuestion ? ", with a question" : "")
    }

    static func seconds(_ text: String?) -> Int? {
      guard let text else { return nil }
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return format.date(from: text).map { Int($0.timeIntervalSince1970) }
    }
  }

  @Test(arguments: [
    ("/fresh", Stored(60), true), ("/aging", Stored(60, age: 59), true),
    ("/stale", Stored(60, age: 61), false), ("/expires", Stored(3600), true),
    ("/expired", Stored(-60), false), ("/heuristic", Stored(86_400), true),
    ("/no-cache", Stored(nil, needsQuestion: true), false),
    ("/no-store", Stored(nil, isStored: false), false), ("/vary", Stored(60), true),
  ])
  func `a cache sees what the path says`(
    _ target: String, _ expected: Stored, _ isFresh: Bool
  ) throws {
    let folder = try Folder()
    let lab = try Lab("cache-lab.rules", in: folder)
    let client = try Client(port: lab.port)
    let before = Int(Date().timeIntervalSince1970)
    let response = try #require(client.get(target))
    let after = Int(Date().timeIntervalSince1970)
    #expect(response.status == 200 && response.content.count == 5000)
    // The date of now, in the one form that is sent (RFC 9110 §5.6.7).
    let date = try #require(Stored.seconds(response.value("Date")))
    #expect((before - 1...after + 1).contains(date))
    let stored = Stored(response, now: date)
    #expect(stored == expected)
    #expect(stored.isFresh == isFresh)
    #expect(response.value("Vary") == (target == "/vary" ? "Accept-Language" : nil))
  }

  /// On one connection, and nothing of the content twice.
  @Test func `a tag saves the content the second time`() throws {
    let folder = try Folder()
    let lab = try Lab("cache-lab.rules", in: folder)
    let client = try Client(port: lab.port)
    let first = try #require(client.exchange(Lab.get("/fresh")))
    let tag = try #require(first.value("ETag"))
    #expect(tag == "\"v1\"")
    let second = try #require(client.exchange(Lab.get("/fresh", "If-None-Match: \(tag)")))
    #expect(second.status == 304)
    #expect(second.value("ETag") == tag && second.value("Cache-Control") == "max-age=60")
    #expect(second.value("Date") != nil && second.value("Content-Length") == nil)
    #expect(first.content.count + second.content.count == 5000)
    // Old, weak and listed tags are compared, others miss.
    let fields = [("W/\"v1\"", 304), ("\"v0\", \"v1\"", 304), ("*", 304), ("\"v0\"", 200)]
    for (value, status) in fields {
      #expect(client.exchange(Lab.get("/fresh", "If-None-Match: \(value)"))?.status == status)
    }
  }

  /// The date stays a validator while the clock goes on.
  @Test func `a date saves the content too, and the tag counts more`() throws {
    let folder = try Folder()
    let lab = try Lab(
      rules: [#"/x: status 200, body size 1KB, set ETag "\"a\"", last-modified 10d ago"#],
      in: folder)
    let client = try Client(port: lab.port)
    let first = try #require(client.exchange(Lab.get("/x")))
    let modified = try #require(first.value("Last-Modified"))
    let date = try #require(Stored.seconds(first.value("Date")))
    #expect(Stored.seconds(modified) == date - 864_000)
    usleep(1_100_000)
    let second = try #require(client.exchange(Lab.get("/x", "If-Modified-Since: \(modified)")))
    #expect(second.status == 304 && second.content.isEmpty)
    let both = ["If-Modified-Since: \(modified)", "If-None-Match: \"a\""]
    let third = try #require(client.exchange(Lab.get("/x", both[0], both[1])))
    #expect(third.status == 304 && third.value("ETag") == "\"a\"")
    let other = Lab.get("/x", both[0], "If-None-Match: \"b\"")
    #expect(client.exchange(other)?.status == 200)
    let early = Lab.get("/x", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(client.exchange(early)?.status == 200)
  }

  /// What fifty requests of one target cost a client that revalidates.
  private struct Fetches {
    /// Which requests got the content.
    var whole: [Int] = []
    var contentBytes = 0
    var headBytes = 0
    var questionHeadBytes = 0
  }

  private func fetches(_ client: Client, _ target: String, conditional: Bool) throws -> Fetches {
    var found = Fetches()
    var tag: String?
    for index in 0..<50 {
      let question = conditional ? tag.map { "If-None-Match: \($0)" } : nil
      let request = question.map { Lab.get(target, $0) } ?? Lab.get(target)
      let response = try #require(client.exchange(request))
      tag = response.value("ETag")
      if response.status == 200 { found.whole.append(index) }
      if response.status == 304 { found.questionHeadBytes = response.head.utf8.count }
      found.contentBytes += response.content.count
      found.headBytes += response.head.utf8.count
    }
    return found
  }

  /// 10 MB without conditions, 2 MB with them, as a model of the latter says.
  @Test func `a catalog is fetched ten times of fifty by who revalidates`() throws {
    let folder = try Folder()
    let lab = try Lab("cache-lab.rules", in: folder)
    let client = try Client(port: lab.port)
    let plain = try fetches(client, "/catalog", conditional: false)
    #expect(plain.whole == Array(0..<50) && plain.contentBytes == 10_000_000)
    let own = try fetches(client, "/catalog", conditional: true)
    #expect(own.whole == Array(stride(from: 0, to: 50, by: 5)))
    #expect(own.contentBytes == 2_000_000)
    let size = 200_000.0
    let portion = 9.0 / 49
    let model =
      size + 49 * (portion * size + (1 - portion) * Double(own.questionHeadBytes))
    let total = Double(own.contentBytes + own.headBytes)
    #expect(abs(total / model - 1) < 0.02)
    #expect(lab.program.stop().status == 0)
  }

  /// With changes before requests that are named.
  @Test func `a tag changes when it is told to`() throws {
    let folder = try Folder()
    let lab = try Lab(rules: ["/x: status 200, body size 1KB, etag at 18 35"], in: folder)
    let found = try fetches(Client(port: lab.port), "/x", conditional: true)
    #expect(found.whole == [0, 17, 34])
  }

  @Test func `drawn contents have their size, and are the same or new`() throws {
    let folder = try Folder()
    let lab = try Lab(
      rules: [
        "/40: status 200, body size 40KB", "/60: status 200, body size 60000B",
        "/new: status 200, body size 60KB fresh", "GET /json: body size 40KB",
      ], in: folder)
    let client = try Client(port: lab.port)
    func contents(_ target: String) throws -> [[UInt8]] {
      try (0..<3).map { _ in try #require(client.get(target)).content }
    }
    let forty = try contents("/40")
    #expect(forty.allSatisfy { $0.count == 40_000 && $0 == forty[0] })
    let sixty = try contents("/60")
    #expect(sixty.allSatisfy { $0.count == 60_000 && $0 == sixty[0] })
    #expect(Array(sixty[0].prefix(40_000)) != forty[0])
    let new = try contents("/new")
    #expect(new.allSatisfy { $0.count == 60_000 } && Set(new).count == 3)
    #expect(try contents("/json").allSatisfy { $0.count == 40_000 })
  }

  /// A client that is killed goes on where it was, and nothing is sent twice.
  @Test func `a killed download is resumed`() throws {
    let folder = try Folder()
    let lab = try Lab("cache-lab.rules", in: folder)
    let curl = Process()
    curl.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    curl.arguments = ["-s", "-o", folder.path("film"), lab.url + "/film"]
    try curl.run()
    usleep(1_500_000)
    kill(curl.processIdentifier, SIGKILL)
    curl.waitUntilExit()
    let kept = try folder.bytes("film").count
    // At 1 MB/s; a little is lost in buffers, and curl may have started late.
    #expect(kept > 0 && kept <= 1_600_000)
    let resumed = try ConditionalTests.curl(
      [
        "-sS", "-C", "-", "-H", "If-Range: \"film-1\"", "-o", folder.path("film"),
        "-w", "%{http_code} %{size_download}", lab.url + "/film",
      ], in: folder)
    #expect(resumed == "206 \(3_000_000 - kept)")
    let client = try Client(port: lab.port)
    let range = Lab.get("/film", "Range: bytes=2999990-", "If-Range: \"film-1\"")
    let end = try #require(client.exchange(range))
    #expect(end.status == 206 && end.value("Content-Range") == "bytes 2999990-2999999/3000000")
    let whole = try #require(client.get("/film")).content
    let film = try folder.bytes("film")
    #expect(film == whole && Array(whole.suffix(10)) == end.content)
    let past = try #require(client.exchange(Lab.get("/film", "Range: bytes=3000000-")))
    #expect(past.status == 416 && past.value("Content-Range") == "bytes */3000000")
    // What was replaced meanwhile comes whole.
    let tag = try #require(client.get("/replaced")?.value("ETag"))
    let other = Lab.get("/replaced", "Range: bytes=10-", "If-Range: \(tag)")
    let replaced = try #require(client.exchange(other))
    #expect(replaced.status == 200 && replaced.content.count == 3_000_000)
  }
}
