import FixtureCassette
import FixtureEventLoop
import FixtureHTTP
import FixtureRecorder
import FixtureStore
import Synchronization

/// Asks recorded requests again: a recorder on loopback records the answers into a cassette that
/// is thrown away afterwards, so what is compared came in the same way as what was recorded.
final class Asking {
  /// The new recordings; nil when there is none.
  private(set) var reader: CassetteReader?
  /// The new recording of an interaction, by its number in the cassette.
  private(set) var answers: [Int64: Int64] = [:]
  private let place: TemporaryFolder
  private let lanes: [Lane]

  /// Why nothing came of it; one line.
  struct Failure: Error {
    let description: String
  }

  /// A listener of the recorder, and what is asked there.
  private struct Lane {
    let upstream: Int
    var asked: [AskPlan.Asked] = []
  }

  /// Requests asked of one upstream at the same time: fewer than a browser's six.
  private static let lanesMax = 4

  /// - Parameter process: prepared before; a signal ends the asking.
  init(
    _ plan: AskPlan, _ options: AskOptions, _ description: CassetteDescription,
    _ process: ServingProcess
  ) throws(Failure) {
    do throws(FileError) {
      place = try TemporaryFolder()
    } catch {
      throw Failure(description: "the answers can't be kept, \(error.description)")
    }
    lanes = Self.lanes(plan)
    guard !lanes.isEmpty else { return }
    do {
      let recorder = try Recorder.start(
        try configuration(plan, options, description, process))
      let isDone = try ask(recorder, process)
      let summary = try recorder.stop()
      guard isDone else { throw Failure(description: "interrupted; nothing was changed") }
      if let cassette = summary.cassette { try join(try CassetteReader(path: cassette)) }
    } catch let error as RecordError {
      throw Failure(description: error.description)
    } catch let error as StoreError {
      throw Failure(description: error.description)
    } catch let error as RedactionRuleError {
      throw Failure(description: error.description)
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure(description: "\(error)")
    }
  }

  /// Requests with the same method and target stay in one lane, so that a sequence is asked in its
  /// order.
  private static func lanes(_ plan: AskPlan) -> [Lane] {
    struct Key: Hashable {
      let upstream: Int
      let method: Method
      let target: [UInt8]
    }
    var lanes: [Lane] = []
    var places: [Key: Int] = [:]
    for asked in plan.asked {
      let key = Key(
        upstream: asked.upstream, method: asked.request.method, target: asked.request.target)
      let place = places[key] ?? shortest(of: &lanes, for: asked.upstream)
      places[key] = place
      lanes[place].asked.append(asked)
    }
    return lanes
  }

  private static func shortest(of lanes: inout [Lane], for upstream: Int) -> Int {
    let own = lanes.indices.filter { lanes[$0].upstream == upstream }
    guard own.count >= lanesMax,
      let shortest = own.min(by: { lanes[$0].asked.count < lanes[$1].asked.count })
    else {
      lanes.append(Lane(upstream: upstream))
      return lanes.count - 1
    }
    return shortest
  }

  private func configuration(
    _ plan: AskPlan, _ options: AskOptions, _ description: CassetteDescription,
    _ process: ServingProcess
  ) throws(RedactionRuleError) -> RecordConfiguration {
    var configuration = RecordConfiguration(
      upstreams: lanes.enumerated().map { number, lane in
        .init(name: "lane-\(number)", url: plan.upstreams[lane.upstream].url)
      }, cassette: place.path + "/answers.db", target: .new)
    configuration.certificateAuthorityFile = options.certificateAuthorityFile
    configuration.verifiesCertificates = options.verifiesCertificates
    configuration.connectTimeout_ns = options.connectTimeout.nanoseconds
    configuration.idleTimeout_ns = options.idleTimeout.nanoseconds
    if let words = description.redactions {
      configuration.redactions = try RedactionRules(
        adding: words + options.redactions + options.secrets.map(\.rule))
      let named = try RedactionRules(adding: options.redactions).texts
      configuration.texts = (configuration.redactions?.texts ?? []).compactMap { source in
        SecretTexts.known(source, to: named).map { TextSecrets(source: source, secrets: $0) }
      }
      // Answers may spell them anywhere. Their numbers are only those of the answers.
      for text in plan.texts
      where !configuration.texts.contains(where: { $0.source == text.source }) {
        configuration.texts.append(text)
      }
    }
    let diagnostics = process.diagnostics
    configuration.onError = { diagnostics.write($0) }
    return configuration
  }

  /// - Returns: false when a signal came before all were asked.
  private func ask(_ recorder: Recorder, _ process: ServingProcess) throws(Failure) -> Bool {
    let completion = Completion()
    let lanes = zip(lanes, recorder.listeners).map { lane, listener in
      AskingLanes.Lane(
        host: listener.host, port: listener.port, requests: lane.asked.map(\.request))
    }
    let asking: AskingLanes
    do throws(SystemError) {
      asking = try AskingLanes(lanes) { [handle = process.stop.handle] in
        completion.isComplete.withLock { $0 = true }
        handle.stop()
      }
    } catch {
      throw Failure(description: "nothing can be asked: \(error)")
    }
    process.stop.wait()
    asking.stop()
    return completion.isComplete.withLock { $0 }
  }

  /// Whether all lanes have come to their end.
  private final class Completion: Sendable {
    let isComplete = Mutex(false)
  }

  /// Finds what was recorded of each request: the next of its lane with its method and target. A
  /// request that the recorder refused has none.
  private func join(_ reader: CassetteReader) throws(StoreError) {
    self.reader = reader
    var recorded: [String: [Interaction]] = [:]
    for id in try reader.interactionIDs() {
      let interaction = try reader.interaction(id: id)
      recorded[interaction.upstream ?? "", default: []].append(interaction)
    }
    for (number, lane) in lanes.enumerated() {
      var rest = (recorded["lane-\(number)"] ?? [])[...]
      for asked in lane.asked {
        guard let next = rest.first, next.request.method == asked.request.method,
          Placeholder.masking(next.request.target) == asked.maskedTarget
        else { continue }
        answers[asked.id] = next.id
        rest = rest.dropFirst()
      }
    }
  }
}
