import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import FixtureServing
import FixtureStore
import FixtureTLS

/// A reverse proxy that writes what passes through it into a cassette: one listener for each
/// upstream, one event loop, so that the order of requests is true.
package final class Recorder: Sendable {
  /// In the order of the configuration's upstreams.
  package let listeners: [ListenerAddress]
  private let thread: LoopThread
  private let worker: LoopReference<RecordWorker>
  private let writer: CassetteWriter
  private let file: RecordFile

  private init(
    listeners: [ListenerAddress], thread: LoopThread, worker: LoopReference<RecordWorker>,
    writer: CassetteWriter, file: RecordFile
  ) {
    self.listeners = listeners
    self.thread = thread
    self.worker = worker
    self.writer = writer
    self.file = file
  }

  /// Opens listeners and cassette; recording has begun when it returns.
  /// - Throws: what is wrong with an address, the cassette or the TLS settings; then nothing is
  ///   left behind, no new file either.
  package static func start(
    _ configuration: RecordConfiguration
  ) throws(RecordError) -> Recorder {
    let tls = try tlsContext(configuration)
    let listeners = try opened(configuration)
    do throws(RecordError) {
      return try start(configuration, listeners: listeners, tls: tls)
    } catch {
      listeners.close()
      throw error
    }
  }

  private static func start(
    _ configuration: RecordConfiguration, listeners: Listeners, tls: TLSContext?
  ) throws(RecordError) -> Recorder {
    try refuseOwnAddress(configuration, listeners.addresses)
    let file = RecordFile(configuration)
    let opened = try file.open()
    do throws(RecordError) {
      let worker = try RecordWorker.start(
        RecordWorker.Setup(
          configuration: configuration, file: opened, listeners: listeners, tls: tls))
      return Recorder(
        listeners: listeners.addresses, thread: worker.thread, worker: worker.bound,
        writer: opened.writer, file: file)
    } catch {
      file.abandon(opened.writer)
      throw error
    }
  }

  /// Ends every connection, stores what was in flight as cancelled, and finishes the file. Blocks;
  /// to be called once, not on the recorder's thread.
  /// - Throws: what keeps the file from being finished; what was committed is in it nevertheless.
  package func stop() throws(RecordError) -> RecordSummary {
    let answer = Rendezvous<RecordSummary>()
    let worker = self.worker
    thread.handle.post { worker.object?.stop { answer.give($0) } }
    var summary = answer.take()
    thread.stop()
    thread.join()
    summary.cassette = try file.finish(writer, recorded: summary.recorded)
    return summary
  }

  private static func opened(
    _ configuration: RecordConfiguration
  ) throws(RecordError) -> Listeners {
    do {
      return try Listeners.open(
        names: configuration.upstreams.map(\.name), host: configuration.host,
        port: configuration.port)
    } catch {
      throw .server(error)
    }
  }

  private static func tlsContext(
    _ configuration: RecordConfiguration
  ) throws(RecordError) -> TLSContext? {
    guard configuration.upstreams.contains(where: { $0.url.scheme == .https }) else { return nil }
    do {
      return try TLSContext(
        certificateAuthorityFile: configuration.certificateAuthorityFile,
        verify: configuration.verifiesCertificates, applicationProtocols: ["http/1.1"])
    } catch {
      throw .tls(error)
    }
  }

  /// A recorder that is its own upstream would forward to itself for ever.
  private static func refuseOwnAddress(
    _ configuration: RecordConfiguration, _ addresses: [ListenerAddress]
  ) throws(RecordError) {
    for upstream in configuration.upstreams
    where upstream.url.scheme == .http
      && ["localhost", "127.0.0.1", "::1", configuration.host].contains(upstream.url.host)
      && addresses.contains(where: { $0.port == upstream.url.port })
    {
      throw .upstreamIsOurs(upstream.url)
    }
  }
}
