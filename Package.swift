// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A target of our own code; every one is compiled with the same settings.
/// - Parameter resources: become bytes of the program, so that it stays one file.
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// - Parameter data: folders beside the tests that are no sources; tests find them by `#filePath`.
func tests(_ name: String, _ dependencies: [Target.Dependency], data: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: data, swiftSettings: settings)
}

let package = Package(
  name: "fixtured",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "fixtured", targets: ["fixtured"]),
    .library(name: "FixtureServer", targets: ["FixtureServer"]),
    .library(name: "FixtureStub", targets: ["FixtureStub"]),
    .library(name: "FixtureTesting", targets: ["FixtureTesting"]),
    .library(name: "FixtureControl", targets: ["FixtureControl"]),
  ],
  targets: [
    .systemLibrary(
      name: "CFixtureSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CFixtureOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CFixtureZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CFixtureBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(
      name: "CFixtureZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "CFixtureSystem"),
    .target(name: "CFixtureDigest"),

    // Pure core: no I/O, no clock, no unseeded randomness.
    module("FixtureFindings"),
    module("FixtureHTTP"),
    module("FixtureHTTP1", ["FixtureHTTP"]),
    module("FixtureCoding", ["FixtureHTTP", "CFixtureZlib", "CFixtureBrotli", "CFixtureZstd"]),
    module("FixtureCassette", ["FixtureHTTP", "FixtureCoding", "CFixtureDigest"]),
    module("FixtureReplay", ["FixtureFindings", "FixtureHTTP", "FixtureCassette"]),
    module(
      "FixtureExchange", ["FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay"],
      resources: [.embedInCode("Resources/openapi.json")]),

    // Shells: each owns one kind of I/O.
    module("FixtureStore", ["FixtureHTTP", "FixtureCassette", "CFixtureSQLite"]),
    module(
      "FixtureSetup",
      ["FixtureFindings", "FixtureHTTP", "FixtureCassette", "FixtureReplay", "FixtureStore"]),
    module("FixtureEventLoop", ["CFixtureSystem"]),
    module("FixtureTLS", ["CFixtureOpenSSL"]),
    module(
      "FixtureServing",
      [
        "FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay", "FixtureExchange",
        "FixtureStore", "FixtureEventLoop",
      ]),
    module(
      "FixtureRecorder",
      [
        "FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay", "FixtureExchange",
        "FixtureStore", "FixtureEventLoop", "FixtureTLS", "FixtureServing",
      ]),
    module(
      "FixtureServer",
      [
        "FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay", "FixtureExchange",
        "FixtureStore", "FixtureEventLoop", "FixtureServing", "FixtureSetup",
      ]),
    // Never a socket: what the in-process stub links holds no event loop, no codec and no TLS.
    module(
      "FixtureStub",
      [
        "FixtureHTTP", "FixtureCoding", "FixtureCassette", "FixtureReplay", "FixtureStore",
        "FixtureSetup",
      ]),
    // The only target that imports a test framework, so that no app links one.
    module("FixtureTesting", ["FixtureStub"]),
    // Nothing of ours but what findings are called: what a UI-test runner links is a client of
    // another process.
    module("FixtureControl", ["FixtureFindings"]),
    .executableTarget(
      name: "fixtured",
      dependencies: [
        "FixtureHTTP", "FixtureCoding", "FixtureCassette", "FixtureReplay", "FixtureExchange",
        "FixtureStore", "FixtureEventLoop", "FixtureServing", "FixtureRecorder",
      ],
      swiftSettings: settings),

    // The rules that any input must keep, for the fuzzers and for tests.
    .target(
      name: "FixtureInvariants",
      dependencies: [
        "FixtureHTTP", "FixtureHTTP1", "FixtureCoding", "FixtureCassette", "FixtureReplay",
        "FixtureExchange", "FixtureStore", "CFixtureSQLite",
      ],
      path: "Tests/FixtureInvariants", swiftSettings: settings),
    tests("FuzzTests", ["FixtureInvariants"]),
    // Our codec for the acceptance tests to talk to.
    .executableTarget(
      name: "CodecPeer", dependencies: ["FixtureInvariants", "FixtureHTTP1", "FixtureHTTP"],
      path: "Tests/CodecPeer", swiftSettings: settings),

    // The stub under load, in a process of its own.
    .executableTarget(
      name: "StubPeer", dependencies: ["FixtureStub"], path: "Tests/StubPeer",
      swiftSettings: settings),

    tests("FixtureHTTPTests", ["FixtureHTTP"]),
    tests(
      "FixtureHTTP1Tests", ["FixtureHTTP1", "FixtureHTTP", "FixtureInvariants"],
      data: ["Corpus"]),
    tests("FixtureCodingTests", ["FixtureCoding", "FixtureHTTP"]),
    tests("FixtureCassetteTests", ["FixtureCassette", "FixtureCoding", "FixtureHTTP"]),
    tests(
      "FixtureReplayTests", ["FixtureReplay", "FixtureCassette", "FixtureCoding", "FixtureHTTP"]),
    tests(
      "FixtureExchangeTests",
      ["FixtureExchange", "FixtureReplay", "FixtureCassette", "FixtureHTTP1", "FixtureHTTP"]),
    tests(
      "FixtureStoreTests", ["FixtureStore", "FixtureCassette", "FixtureHTTP", "CFixtureSQLite"]),
    tests("FixtureSetupTests", ["FixtureSetup", "FixtureStore", "FixtureReplay", "FixtureHTTP"]),
    tests("FixtureEventLoopTests", ["FixtureEventLoop"]),
    tests("FixtureTLSTests", ["FixtureTLS"]),
    tests(
      "FixtureServingTests",
      ["FixtureServing", "FixtureReplay", "FixtureEventLoop", "FixtureHTTP1", "FixtureHTTP"]),
    tests("FixtureServerTests", ["FixtureServer"]),
    tests(
      "FixtureStubTests",
      [
        "FixtureStub", "FixtureServer", "FixtureSetup", "FixtureStore", "FixtureReplay",
        "FixtureCassette", "FixtureCoding", "FixtureHTTP",
      ]),
    tests("FixtureTestingTests", ["FixtureTesting", "FixtureStub", "FixtureServer"]),
    tests(
      "ParityTests",
      [
        "FixtureServer", "FixtureStub", "FixtureSetup", "FixtureReplay", "FixtureStore",
        "FixtureCassette", "FixtureCoding", "FixtureHTTP",
      ]),
    tests(
      "FixturedTests",
      [
        "fixtured", "FixtureStore", "FixtureReplay", "FixtureCassette", "FixtureCoding",
        "FixtureHTTP",
      ]),
    tests("ProgramTests", ["FixtureStore", "fixtured", "FixtureControl"]),
    tests("TidyTests", []),
  ]
)
