import FixtureCassette
import FixtureEventLoop
import FixtureRecorder
import FixtureServing
import FixtureStore

/// `fixtured record`: forwards to the upstreams and records what passes, until a signal comes.
enum RecordCommand {
  static func run(_ options: RecordOptions) -> ExitStatus {
    do throws(UsageError) {
      let texts = try SecretTexts.read(options.redactions?.texts ?? [], in: .record)
      let exists = File.exists(options.cassette)
      let mode = try RecordMode.resolve(options.mode, cassette: options.cassette, exists: exists)
      switch (mode, exists) {
      case (.once, true), (.none, true): return replay(options)
      case (.newEpisodes, true): return record(options, texts, .newEpisodes)
      case (.all, true): return replace(options, texts)
      case (_, false): return record(options, texts, .new)
      }
    } catch {
      Diagnostic.write(error.description)
      return .usage
    }
  }

  /// `once` and `none` on an existing file: it is replayed, the rest is refused, nothing is written
  /// and no upstream is asked.
  private static func replay(_ options: RecordOptions) -> ExitStatus {
    if let problem = differingUpstreams(options) {
      Diagnostic.write(problem)
      return .failure
    }
    var replay = ReplayOptions(cassette: options.cassette)
    replay.listen = options.listen
    replay.pacing = options.pacing
    replay.exhausted = options.exhausted
    replay.match = options.match
    replay.dates = options.dates
    replay.derives = options.derives
    replay.rewritesCookies = options.rewritesCookies
    replay.texts = options.redactions?.texts ?? []
    replay.isQuiet = options.isQuiet
    return ReplayCommand.run(replay)
  }

  /// `all` on an existing file: what a link leads to is replaced, not the link.
  private static func replace(_ options: RecordOptions, _ texts: [TextSecrets]) -> ExitStatus {
    do throws(StoreError) {
      var options = options
      options.cassette = try CassetteReplacement.place(of: options.cassette)
      return record(options, texts, .replacing)
    } catch {
      Diagnostic.write(error.description)
      return .failure
    }
  }

  /// Listeners come from the file, so its upstreams must be the ones that were given.
  private static func differingUpstreams(_ options: RecordOptions) -> String? {
    // A file that can't be read is reported by the replay itself.
    guard let recorded = try? CassetteReader(path: options.cassette).description.upstreams,
      recorded.map(\.name) != options.upstreams.map(\.name)
    else { return nil }
    return RecordError.upstreamsDiffer(
      path: options.cassette, recorded: recorded.map { $0.name ?? "(unnamed)" },
      given: options.upstreams.map { $0.name ?? "(unnamed)" }
    ).description
  }

  private static func record(
    _ options: RecordOptions, _ texts: [TextSecrets], _ target: RecordConfiguration.Target
  ) -> ExitStatus {
    if options.cassetteIsStandard, let problem = createFolder(options.cassette) {
      Diagnostic.write(problem)
      return .failure
    }
    guard let process = ServingProcess.prepare() else { return .failure }
    let diagnostics = process.diagnostics
    defer { diagnostics.finish() }
    let failure = FailureLatch()
    var configuration = configuration(options, target, diagnostics)
    configuration.texts = texts
    configuration.onFailure = { error in
      diagnostics.write("recording has stopped: \(error.description)")
      failure.fail()
    }
    configuration.onDrained = { [handle = process.stop.handle] in handle.stop() }
    do throws(RecordError) {
      let recorder = try Recorder.start(configuration)
      warn(options, diagnostics)
      Listening.announce(recorder.listeners)
      process.stop.wait()
      let summary = try recorder.stop()
      for line in RecordSummaryText.lines(summary) { diagnostics.line(line) }
      return failure.hasFailed ? .failure : .success
    } catch {
      diagnostics.write(
        failure.hasFailed
          ? "what was recorded before is kept, \(configuration.file), "
            + "run fixtured verify --repair \(configuration.file)"
          : error.description)
      return .failure
    }
  }

  /// - Returns: why the folder of the standard cassette can't be made.
  private static func createFolder(_ cassette: String) -> String? {
    do throws(FileError) {
      try File.createFolder(of: cassette)
      return nil
    } catch {
      return "the cassette's folder can't be made, \(error.description), name a CASSETTE elsewhere"
    }
  }

  private static func warn(_ options: RecordOptions, _ diagnostics: DiagnosticThread) {
    if options.redactions == nil {
      diagnostics.write("--no-redact: secrets are stored as they are")
    }
    if !options.verifiesCertificates {
      diagnostics.write("--insecure: the upstream's certificate is not verified")
    }
  }

  private static func configuration(
    _ options: RecordOptions, _ target: RecordConfiguration.Target,
    _ diagnostics: DiagnosticThread
  ) -> RecordConfiguration {
    var configuration = RecordConfiguration(
      upstreams: options.upstreams.map {
        RecordConfiguration.Upstream(name: $0.name, url: $0.url)
      }, cassette: options.cassette, target: target)
    configuration.host = options.listen.host
    configuration.port = options.listen.port
    configuration.preservesHost = options.preservesHost
    configuration.certificateAuthorityFile = options.certificateAuthorityFile
    configuration.verifiesCertificates = options.verifiesCertificates
    configuration.redactions = options.redactions
    configuration.storesUnredacted = options.storesUnredacted
    configuration.durability = options.durability
    configuration.rewritesCookies = options.rewritesCookies
    configuration.connectTimeout_ns = options.connectTimeout.nanoseconds
    configuration.idleTimeout_ns = options.idleTimeout.nanoseconds
    configuration.pacing = options.pacing
    configuration.exhausted = options.exhausted
    configuration.match = options.match
    configuration.dates = options.dates
    configuration.derives = options.derives
    configuration.createdBy = Version.createdBy
    if !options.isQuiet {
      configuration.onExchange = { diagnostics.line($0) }
      if ProgressLine.isWatched { configuration.onProgress = { diagnostics.progress($0) } }
    }
    configuration.onError = { diagnostics.write($0) }
    return configuration
  }
}

extension Duration {
  /// Whole nanoseconds, at most what `Int64` holds.
  var nanoseconds: Int64 {
    let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max / 2 : min(.max / 2, seconds) + components.attoseconds / 1_000_000_000
  }
}
