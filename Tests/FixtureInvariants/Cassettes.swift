import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureStore

// RULE of `cassettes`: any bytes as a file are opened or refused with a `StoreError`; reading and
// checking them changes no byte and leaves no file beside them; each interaction that is accepted
// keeps the rule of `Playing.swift`. Whatever is wrong, repair ends, and a sound file that it has
// repaired has all its interactions and nothing left to remove. A recording is added to a file or
// refused; what was sound before is sound afterwards.

func checkCassette(_ bytes: [UInt8]) throws(Violation) {
  try checkFile(ScratchFile(bytes))
}

func checkFile(_ file: ScratchFile) throws(Violation) {
  let bytes = file.bytes
  try checkReading(file.path)
  let found = try attempt { () throws(StoreError) in try CassetteVerifier.verify(path: file.path) }
  try require(file.bytes == bytes, "reading changed the file")
  try require(!file.hasSideFile, "reading left a file")

  let repaired = try attempt { () throws(StoreError) in
    try CassetteVerifier.repair(path: file.path)
  }
  if repaired != nil, let found, found.hasIntegrity {
    try require(!file.hasSideFile, "repair left a file")
    let left = try attempt { () throws(StoreError) in try CassetteVerifier.verify(path: file.path) }
    let isRepaired = left.map { $0.interactions == found.interactions && !$0.hasUnusedRows }
    try require(isRepaired == true, "found: \(found)\nleft: \(String(describing: left))")
  }
  try checkAdding(file.path, isSound: found?.isSound == true)
}

/// What the store gives; nil when it refuses, which it does in words.
func attempt<Value>(_ body: () throws(StoreError) -> Value) throws(Violation) -> Value? {
  do throws(StoreError) {
    return try body()
  } catch {
    try require(!error.description.isEmpty, "an error without words")
    return nil
  }
}

/// - Parameter isSound: whether the file is.
private func checkAdding(_ path: String, isSound: Bool) throws(Violation) {
  let added: Void? = try attempt { () throws(StoreError) in
    let description = try CassetteReader(path: path).description
    var redactor = Redactor(
      rules: RedactionRules(stored: description.redactions ?? []), count: description.redactedCount)
    let writer = try CassetteWriter.open(existing: path, durability: .process)
    var interaction = Interaction(
      id: writer.nextID, startedAt_us: 0, scheme: "http", authority: "a.test",
      request: RequestHead(method: .get, target: Array("/?token=new".utf8)),
      response: RecordedResponse(head: ResponseHead(status: 200, reason: []), framing: .length))
    redactor.redact(&interaction)
    writer.commit(
      InteractionDraft(
        interaction: interaction, requestBody: .absent, responseBody: .bytes([1, 2, 3]))
    ) { _ in }
    try writer.close()
  }
  guard added != nil else { return }
  let after = try attempt { () throws(StoreError) in try CassetteVerifier.verify(path: path) }
  try require(
    after?.isSound == true || !isSound, "unsound after adding: \(String(describing: after))")
}

private func checkReading(_ path: String) throws(Violation) {
  let opened = try attempt { () throws(StoreError) in try CassetteReader(path: path) }
  guard let reader = opened else { return }
  let none = MatchIndex.Builder(description: reader.description)
  let listed = try attempt { () throws(StoreError) in
    try reader.foldRequests(from: none) { $0.add($1) }
  }
  let ids = try attempt { () throws(StoreError) in try reader.interactionIDs() }
  guard let listed, let ids else { return }
  let index = MatchIndex(listed)
  for id in ids.prefix(8) {
    let accepted = try attempt { () throws(StoreError) in try reader.interaction(id: id) }
    guard let accepted else { continue }
    try checkPlaying(accepted, of: reader, index)
  }
}

extension VerificationReport {
  fileprivate var hasIntegrity: Bool {
    !findings.contains { if case .integrity = $0 { true } else { false } }
  }

  fileprivate var hasUnusedRows: Bool {
    findings.contains { finding in
      switch finding {
      case .unusedBody, .unusedPieces, .unusedInterims: true
      default: false
      }
    }
  }
}
