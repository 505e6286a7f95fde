import Foundation
import Testing

/// Redirects that rules make, followed by curl.
@Suite struct RedirectTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private static let final = [
    #"GET /final: status 200, body "got""#, #"POST /final: status 200, body "posted""#,
  ]

  /// The content, the last target and the number of requests, as curl tells them.
  private func curl(_ arguments: [String]) throws -> (output: String, status: Int32) {
    let curl = Process()
    let output = Pipe()
    curl.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    curl.arguments =
      ["-s", "-L", "--max-redirs", "20", "-w", " %{url_effective} %{num_redirects}"] + arguments
    curl.standardOutput = output
    try curl.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    curl.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), curl.terminationStatus)
  }

  @Test func `each status leads on, with the method that it keeps`() throws {
    let statuses = [301, 302, 303, 307, 308]
    let lab = try Lab(
      rules: Self.final + statuses.map { "/r/\($0): status \($0), redirect /final" }, in: folder)
    for status in statuses {
      let got = try curl([lab.url + "/r/\(status)"])
      #expect(got.output == "got \(lab.url)/final 1", "\(status)")
      let posted = try curl(["-d", "x", lab.url + "/r/\(status)"])
      let content = status >= 307 ? "posted" : "got"
      #expect(posted.output == "\(content) \(lab.url)/final 1", "\(status)")
    }
  }

  @Test func `relative and absolute targets lead on, also to another host`() throws {
    let second = try Lab(rules: Self.final, in: folder)
    let elsewhere = "http://localhost:\(second.port)/final"
    let lab = try Lab(
      rules: Self.final + ["/a/b: redirect ../final", "/far: redirect \(elsewhere)"], in: folder)
    #expect(try curl([lab.url + "/a/b"]).output == "got \(lab.url)/final 1")
    #expect(try curl([lab.url + "/far"]).output == "got \(elsewhere) 1")
    #expect(second.program.stop().errors.contains("1 answer made by rules"))
  }

  @Test func `a loop is followed as far as the client goes`() throws {
    let lab = try Lab(rules: ["/loop: redirect loop"], in: folder)
    let ended = try curl([lab.url + "/loop?n=1"])
    // Too many redirects.
    #expect(ended.status == 47)
    #expect(ended.output.hasSuffix("/loop?n=1 20"))
    #expect(lab.program.stop().errors.contains("21 answers made by rules"))
  }
}
