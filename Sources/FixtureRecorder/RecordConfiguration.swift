import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureStore

/// What `Recorder.start` needs to know.
package struct RecordConfiguration: Sendable {
  /// An upstream and the name it is listed under.
  package struct Upstream: Equatable, Sendable {
    /// nil for the only, unnamed one.
    package var name: String?
    package var url: BaseURL

    package init(name: String?, url: BaseURL) {
      self.name = name
      self.url = url
    }
  }

  /// What is recorded into which file.
  package enum Target: Equatable, Sendable {
    /// A file that does not exist yet.
    case new
    /// Plays what the existing file has and adds the rest to it.
    case newEpisodes
    /// Writes beside the existing file, which `CassetteReplacement` allows, and takes its place at
    /// a clean end, if anything came.
    case replacing
  }

  /// In the order of their listeners; at least one.
  package var upstreams: [Upstream]
  /// Path of the cassette.
  package var cassette: String
  package var target: Target
  /// Where the recording is written: the cassette, or beside it while that is to be replaced.
  package var file: String {
    switch target {
    case .new, .newEpisodes: cassette
    case .replacing: cassette + ".recording"
    }
  }
  package var host = "127.0.0.1"
  /// The first upstream's port; the others follow. 0: each picks a free one.
  package var port: UInt16 = 0
  /// Sends the client's `Host` to the upstream instead of the upstream's own.
  package var preservesHost = false
  /// PEM file of authorities to trust besides the system's.
  package var certificateAuthorityFile: String?
  package var verifiesCertificates = true
  /// nil: nothing is redacted.
  package var redactions: RedactionRules?
  /// The secrets of its `text:` rules.
  package var texts: [TextSecrets] = []
  /// Stores content that can't be redacted as it is, instead of leaving it out.
  package var storesUnredacted = false
  package var durability = Durability.process
  /// Removes `Domain` and `Secure` from cookies on the wire, so that a client keeps them for us.
  package var rewritesCookies = false
  package var connectTimeout_ns: Int64 = 10_000_000_000
  /// How long the upstream may send nothing while a response is awaited or under way.
  package var idleTimeout_ns: Int64 = 300_000_000_000
  /// For what `newEpisodes` plays.
  package var pacing = Pacing.immediate
  package var exhausted = Exhausted.repeatLast
  package var match = MatchOptions()
  package var dates = DatePolicy.shift
  package var derives = true
  /// Recorded in the cassette as the program that made it.
  package var createdBy = "fixtured"
  /// Called with one line for each exchange, redacted, on any thread; nil when nobody reads them.
  package var onExchange: (@Sendable (String) -> Void)?
  /// Called with how a long response is getting on, about twice a second, redacted, on the
  /// recorder's thread; nil when nobody watches.
  package var onProgress: (@Sendable (String) -> Void)?
  /// Called with one line about what concerns no single exchange, on any thread.
  package var onError: @Sendable (String) -> Void = { _ in }
  /// Called once when the cassette can't be written any more: no more connections are accepted,
  /// exchanges under way go on.
  package var onFailure: @Sendable (StoreError) -> Void = { _ in }
  /// Called after `onFailure`, when those have ended: the recorder is to be stopped.
  package var onDrained: @Sendable () -> Void = {}

  package init(upstreams: [Upstream], cassette: String, target: Target) {
    self.upstreams = upstreams
    self.cassette = cassette
    self.target = target
  }
}

/// What a recording did, for the summary at its end.
package struct RecordSummary: Equatable, Sendable {
  package var recorded = 0
  package var played = 0
  /// Interactions that did not end well, by outcome.
  package var incomplete: [Outcome: Int] = [:]
  /// Links in fields that lead to an origin that is no upstream.
  package var linksElsewhere: [String: Int] = [:]
  /// Links in content, by their origin. Nobody changes those.
  package var linksInContent: [String: Int] = [:]
  /// Cookies a client of ours would not send back, by their `Domain`.
  package var cookiesElsewhere: [String: Int] = [:]
  /// The cassette, when there is one now.
  package var cassette: String?

  package init() {}
}
