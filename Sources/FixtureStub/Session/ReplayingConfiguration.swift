import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking

  private protocol MadeForFixture {
    init(replaying fixture: Fixture)
  }

  /// A configuration whose sessions replay a fixture, and which keeps it alive.
  ///
  /// A session copies its configuration. So does this, with a class of its own for the copy: from
  /// it a request finds the very configuration of its session, whatever became of the one that it
  /// was made with.
  final class ReplayingConfiguration: URLSessionConfiguration, ConfigurationSource,
    MadeForFixture, @unchecked Sendable
  {
    // As its superclass is: set up before it is used, then read.
    let fixture: Fixture
    private var ownClass: ReplayingProtocol.Type = ReplayingProtocol.self

    var current: URLSessionConfiguration { self }

    // Apple deprecates it for its own class, which makes others by itself; here there is no other.
    @available(*, deprecated, message: "use copy(of:replaying:)")
    init(replaying fixture: Fixture) {
      self.fixture = fixture
      super.init()
    }

    /// A copy that replays a fixture.
    static func copy(
      of other: URLSessionConfiguration, replaying fixture: Fixture
    ) -> ReplayingConfiguration {
      let copy = blank(of: Self.self, fixture)
      copy.take(other)
      copy.ownClass = Registry.newClass(of: copy)
      // A session must not go past it, also when the app has put other classes in its place.
      let others = (other.protocolClasses ?? []).filter { !($0 is ReplayingProtocol.Type) }
      copy.protocolClasses = [copy.ownClass] + others
      return copy
    }

    private static func blank<Type: MadeForFixture>(
      of type: Type.Type, _ fixture: Fixture
    ) -> Type {
      type.init(replaying: fixture)
    }

    override func copy(with zone: NSZone?) -> Any { Self.copy(of: self, replaying: fixture) }

    override func copy() -> Any { copy(with: nil) }

    private func take(_ other: URLSessionConfiguration) {
      identifier = other.identifier
      requestCachePolicy = other.requestCachePolicy
      timeoutIntervalForRequest = other.timeoutIntervalForRequest
      timeoutIntervalForResource = other.timeoutIntervalForResource
      networkServiceType = other.networkServiceType
      allowsCellularAccess = other.allowsCellularAccess
      isDiscretionary = other.isDiscretionary
      httpShouldSetCookies = other.httpShouldSetCookies
      httpCookieAcceptPolicy = other.httpCookieAcceptPolicy
      httpAdditionalHeaders = other.httpAdditionalHeaders
      httpMaximumConnectionsPerHost = other.httpMaximumConnectionsPerHost
      httpCookieStorage = other.httpCookieStorage
      urlCredentialStorage = other.urlCredentialStorage
      // Each task would first wait for a queue of background priority, and nothing is ever stored.
      urlCache = nil
    }
  }
#else
  /// What a configuration was when it was made to replay: Apple's can't be subclassed, and it has
  /// nowhere to keep the fixture, so that lives until its `finish()`.
  final class ReplayingConfiguration: ConfigurationSource, @unchecked Sendable {
    // Set up before it is used, then read.
    let fixture: Fixture
    let current: URLSessionConfiguration

    init(_ current: URLSessionConfiguration, replaying fixture: Fixture) {
      self.current = current
      self.fixture = fixture
    }
  }
#endif

extension URLSessionConfiguration {
  /// A copy whose sessions get every answer from a fixture, and nothing from the network.
  ///
  /// The copy may be changed further, for instance its `httpAdditionalHeaders`; this one stays as
  /// it is. On Linux the copy keeps the fixture.
  public func replaying(_ fixture: Fixture) -> URLSessionConfiguration {
    #if canImport(FoundationNetworking)
      return ReplayingConfiguration.copy(of: self, replaying: fixture)
    #else
      guard let copy = copy() as? URLSessionConfiguration else { return self }
      let source = ReplayingConfiguration(copy, replaying: fixture)
      fixture.keep(source)
      let others = (copy.protocolClasses ?? []).filter { !($0 is ReplayingProtocol.Type) }
      copy.protocolClasses = [Registry.newClass(of: source)] + others
      return copy
    #endif
  }

  /// A copy whose sessions replay a cassette and nothing else.
  ///
  /// For a test that only needs answers. To ask what was requested, make a `Fixture` and take its
  /// configuration.
  /// - Throws: what is wrong with the cassette, the scenario or the options.
  public func replaying(
    _ cassette: Cassette, scenario: FixtureScenario? = nil, options: FixtureOptions = .init(),
    clock: FixtureClock = .real, errorCodes: Fixture.ErrorCodes = .common
  ) throws(FixtureFailure) -> URLSessionConfiguration {
    replaying(
      try Fixture(
        replaying: cassette, scenario: scenario, options: options, clock: clock,
        errorCodes: errorCodes))
  }
}

extension URLSession {
  /// A session that replays a cassette and asks nobody else.
  ///
  ///     let session = try URLSession(replaying: Cassette(named: "feed"))
  ///     let (data, _) = try await session.data(from: url)
  ///
  /// - Parameters:
  ///   - scenario: what happens to the answers; nil: they come as recorded.
  ///   - clock: by which delays and timeouts go.
  ///   - errorCodes: which codes of `URLError` failures have.
  ///   - configuration: a copy of it is used.
  /// - Throws: what is wrong with the cassette, the scenario or the options.
  public convenience init(
    replaying cassette: Cassette, scenario: FixtureScenario? = nil,
    options: FixtureOptions = .init(), clock: FixtureClock = .real,
    errorCodes: Fixture.ErrorCodes = .common, configuration: URLSessionConfiguration = .ephemeral,
    delegate: (any URLSessionDelegate)? = nil, delegateQueue: OperationQueue? = nil
  ) throws(FixtureFailure) {
    self.init(
      configuration: try configuration.replaying(
        cassette, scenario: scenario, options: options, clock: clock, errorCodes: errorCodes),
      delegate: delegate, delegateQueue: delegateQueue)
  }
}
