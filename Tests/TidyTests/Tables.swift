/// What each target of `Sources` may import, beside the standard library.
///
/// The pure targets do no I/O and read no clock, so they get no Foundation, no Dispatch and no C
/// library; only the codings are made by C libraries, and digests by the processor's instructions,
/// which Swift can't name. Both work in memory.
let allowedImports: [String: Set<String>] = [
  "FixtureFindings": [],
  "FixtureHTTP": [],
  "FixtureHTTP1": ["FixtureHTTP"],
  "FixtureCoding": ["FixtureHTTP", "CFixtureZlib", "CFixtureBrotli", "CFixtureZstd"],
  "FixtureCassette": ["FixtureHTTP", "FixtureCoding", "CFixtureDigest"],
  "FixtureReplay": ["FixtureFindings", "FixtureHTTP", "FixtureCassette", "Synchronization"],
  "FixtureExchange": ["FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay"],
  "FixtureStore": [
    "FixtureHTTP", "FixtureCassette", "CFixtureSQLite", "Synchronization", "Glibc", "Darwin",
  ],
  "FixtureSetup": [
    "FixtureFindings", "FixtureHTTP", "FixtureCassette", "FixtureReplay", "FixtureStore",
    "Dispatch", "Foundation", "Synchronization",
  ],
  "FixtureEventLoop": ["CFixtureSystem", "Synchronization", "Glibc", "Darwin"],
  "FixtureTLS": ["CFixtureOpenSSL", "Synchronization"],
  "FixtureServing": [
    "FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay", "FixtureExchange",
    "FixtureStore", "FixtureEventLoop", "Synchronization",
  ],
  "FixtureServer": [
    "FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay", "FixtureExchange",
    "FixtureStore", "FixtureEventLoop", "FixtureServing", "FixtureSetup", "Dispatch",
    "FoundationEssentials", "Synchronization",
  ],
  "FixtureStub": [
    "FixtureHTTP", "FixtureCoding", "FixtureCassette", "FixtureReplay", "FixtureStore",
    "FixtureSetup", "Dispatch", "Foundation", "FoundationNetworking", "Synchronization", "Glibc",
    "Darwin",
  ],
  "FixtureTesting": [
    "FixtureStub", "Foundation", "FoundationNetworking", "Synchronization", "Testing", "XCTest",
  ],
  // What a UI-test runner links: a client of another process, nothing of ours but
  // what findings are called.
  "FixtureControl": ["FixtureFindings", "Foundation", "FoundationNetworking"],
  "FixtureRecorder": [
    "FixtureHTTP", "FixtureHTTP1", "FixtureCassette", "FixtureReplay", "FixtureExchange",
    "FixtureStore", "FixtureEventLoop", "FixtureTLS", "FixtureServing", "Synchronization",
  ],
  "fixtured": [
    "FixtureHTTP", "FixtureCoding", "FixtureCassette", "FixtureReplay", "FixtureExchange",
    "FixtureStore", "FixtureEventLoop", "FixtureServing", "FixtureRecorder", "Synchronization",
    "Glibc", "Darwin",
  ],
]

/// Where the compiler's checks are set aside or an error is dropped, and how often: file, what,
/// count. The reason stands in a comment at the place itself.
let exceptions: [String: [String: Int]] = [
  "Sources/FixtureCassette/Redaction/ContentLinks.swift": ["try?": 1],
  "Sources/FixtureCassette/Redaction/LiveTexts.swift": ["try?": 1],
  "Sources/FixtureCassette/Redaction/RedactionRules.swift": ["try?": 1],
  "Sources/FixtureControl/FixtureControl.swift": ["try?": 1],
  "Sources/FixtureEventLoop/Loop/LoopReference.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureEventLoop/System/Rendezvous.swift": ["nonisolated(unsafe)": 1],
  "Sources/FixtureExchange/Rewriting/LinkRewriter+Context.swift": ["try?": 1],
  "Sources/FixtureExchange/Recording/TargetPolicy.swift": ["try?": 1],
  "Sources/FixtureRecorder/RecordFile.swift": ["try?": 1],
  "Sources/FixtureRecorder/UpstreamConnection.swift": ["try?": 1],
  "Sources/FixtureReplay/Planning/ContentTable.swift": ["try?": 1],
  "Sources/FixtureReplay/Planning/Variant.swift": ["try?": 2],
  "Sources/FixtureSetup/Cassette.swift": ["try?": 1],
  "Sources/FixtureSetup/ReplaySetup.swift": ["try?": 1],
  "Sources/FixtureStore/Rows/InteractionRow.swift": ["try?": 1],
  "Sources/FixtureStore/Journal/JournalFile.swift": ["try?": 1],
  "Sources/FixtureStore/Journal/JournalWriter.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStore/Writing/Monitor.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStore/Writing/WriterConnection.swift": ["try?": 1],
  "Sources/FixtureStore/Writing/WriterThread.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStub/Recording/EpisodeFile.swift": ["try?": 1],
  "Sources/FixtureStub/Loading/Load.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStub/Clock/RealTimer.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStub/Session/Registry.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStub/Loading/ReplayedResponse.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStub/Session/ReplayingConfiguration.swift": ["@unchecked Sendable": 2],
  "Sources/FixtureStub/Loading/RequestContent.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureStub/Session/TaskBridge.swift": ["@unchecked Sendable": 1],
  "Sources/FixtureTLS/TLSContext.swift": ["@unchecked Sendable": 1],
  "Sources/fixtured/Editing/MergeInput.swift": ["try?": 1],
  "Sources/fixtured/Serving/RecordCommand.swift": ["try?": 1],
  "Sources/fixtured/Serving/RefreshCommand.swift": ["try?": 1],
]

/// Words that have another name here, or that stand for work left undone. Spelled in two halves so
/// that this file passes its own check.
let bannedMarks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
let bannedWords: [String: String] = [
  "ta" + "pe": "cassette", "mo" + "ck": "fixture, or the thing's own name",
  "fa" + "ke": "say what it is instead", "hi" + "t": "match",
]
