import FixtureExchange
import FixtureReplay
import FixtureServing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The control API of `fixtured replay`.
enum ReplayControl {
  /// - Returns: nil when it is not asked for.
  /// - Throws: why it can't be served; the server is stopped then.
  static func start(
    _ options: ReplayOptions, _ configuration: ReplayConfiguration, _ server: ReplayServer,
    _ journal: Journal, _ log: JournalLog?, _ gates: SessionGates, _ router: SessionRouter,
    _ diagnostics: DiagnosticThread
  ) throws(ServerError) -> ControlServer? {
    guard let address = options.control else { return nil }
    let main = ServedSession(
      id: SessionTable.mainID, configuration, server, journal: journal, gates: gates, lease_s: nil)
    let cassette = options.cassette
    let sessions = SessionTable(
      main: main,
      .init(
        configuration: configuration, ports: options.sessionPorts, router: router,
        scenario: { (request) throws(ControlError) in
          try scenario(request, beside: cassette)
        }, log: log, onAbandoned: { diagnostics.write(lines: $0) }))
    do throws(ServerError) {
      return try ControlServer(
        host: address.host, port: address.port, token: try token(for: address),
        sessions: sessions, onError: { diagnostics.write($0) })
    } catch {
      _ = server.stop()
      throw error
    }
  }

  /// Beyond loopback anybody could reach it.
  private static func token(for address: ListenAddress) throws(ServerError) -> String? {
    if let token = ControlToken.ofEnvironment {
      guard ControlToken.isUsable(token) else { throw .controlTokenInvalid }
      return token
    }
    guard ["127.0.0.1", "localhost", "::1"].contains(address.host) else {
      throw .controlTokenMissing(host: address.host)
    }
    return nil
  }

  /// Rules as a request gives them; the files of bodies lie beside the cassette.
  private static func scenario(
    _ request: ControlRequest.ScenarioRequest, beside cassette: String
  ) throws(ControlError) -> ScenarioSetup? {
    guard !request.text.isEmpty || request.seed != nil else { return nil }
    let scenario: Scenario
    do throws(RuleError) {
      scenario = try Scenario(parsing: request.text.utf8, origin: "scenario")
    } catch {
      throw ControlError(400, "the member scenario, \(error)")
    }
    let chosen: Scenario
    do {
      chosen = try scenario.section(nil)
    } catch {
      throw ControlError(400, "the member scenario: \(error)")
    }
    let folder = cassette.lastIndex(of: "/").map { String(cassette[...$0]) } ?? ""
    var files: [String: [UInt8]] = [:]
    for path in chosen.rules.bodyFiles where files[path] == nil {
      files[path] = try contents(path, in: folder)
    }
    return ScenarioSetup(
      rules: chosen.rules, seed: request.seed ?? chosen.seed ?? .random(in: 1...999_999_999),
      files: files)
  }

  /// Who may control a replay may not read the disk.
  private static func contents(
    _ path: String, in folder: String
  ) throws(ControlError) -> [UInt8] {
    guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
      throw ControlError(400, "body file \(path): only files beside the cassette are read")
    }
    do throws(FileError) {
      let limit = Int(Body.bytesMax)
      guard let bytes = try File.contents(folder + path, bytesMax: limit + 1) else {
        throw FileError(path: path, call: "open", errno: ENOENT)
      }
      if bytes.count > limit {
        throw FileError(path: path, call: "read", errno: EFBIG)
      }
      return bytes
    } catch {
      throw ControlError(400, "body file \(path) can't be read: \(error.description)")
    }
  }
}
