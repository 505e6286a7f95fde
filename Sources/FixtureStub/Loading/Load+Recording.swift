import FixtureHTTP
import FixtureReplay
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request that the cassette has not, while a test records.
extension Load {
  /// Sends it to where it belongs.
  func forward(
    _ head: RequestHead, to url: LiveURL, _ entry: JournalEntry, _ recorder: EpisodeRecorder
  ) {
    phase = .forwarding
    waitForLive()
    var entry = entry
    guard phase == .forwarding else { return end(&entry, .stopped) }
    fixture.clock.note()
    var live = request
    for case let (name, value) as (String, String) in configuration.httpAdditionalHeaders ?? [:]
    where live.value(forHTTPHeaderField: name) == nil {
      live.setValue(value, forHTTPHeaderField: name)
    }
    live.httpBodyStream = nil
    live.httpBody = content.data.isEmpty ? nil : content.data
    let ticket = recorder.forward(live, head: head, url: url) { answer in
      self.bridge.perform { self.forwarded(answer, head.method) }
    }
    forwarded = (entry, ticket)
  }

  /// From here on it is an answer like any other.
  private func forwarded(_ answer: EpisodeRecorder.Answer, _ method: Method) {
    guard phase == .forwarding, let entry = forwarded?.entry else { return }
    switch answer {
    case .failure(let error): fail(error.code, error.localizedDescription)
    case .success(let episode):
      forwarded = nil
      phase = .playing
      let now_ns = self.now_ns
      let script = Script(
        answering: method, episode.head, Array(episode.body), at: .requestEnd)
      play(
        PlannedAnswer(script: script, requestEnd_ns: now_ns), entry, isHead: method == .head,
        at: now_ns)
    }
  }
}
