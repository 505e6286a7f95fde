import FixtureExchange
import FixtureHTTP
import FixtureReplay

// RULE of `control`: whatever is asked of the control API, it is understood or refused with a
// status from 400 to 499 and a sentence; what is understood names no file outside the cassette's
// folder and keeps its bounds; the same question is understood the same way.
//
// The first line is the method and the target, the rest is content. What has no such line is the
// value of a field: who is let in by Host, Origin or a token has named one that is right, and a
// place in a journal is the same when it is written and read again.

func checkControl(_ bytes: [UInt8]) throws(Violation) {
  try checkAccess(bytes.filter { $0 > 0x20 && $0 != 0x7F })
  let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
  let line = bytes[..<end].split(separator: 0x20, maxSplits: 1)
  guard line.count == 2 else { return }
  let method = Method(Array(line[0]))
  var fields = FieldSection()
  fields.append("Content-Type", "application/json")
  let head = RequestHead(
    method: method, target: line[1].filter { $0 > 0x20 && $0 != 0x7F }, fields: fields)
  let content = Array(bytes[end...].dropFirst())
  let (first, second) = (understood(head, content), understood(head, content))
  try require(first == second, "understood as \(first), then as \(second)")
  switch first {
  case .success(let request): try check(request)
  case .failure(let error):
    try require((400...499).contains(error.status), "status \(error.status)")
    try require(!error.detail.isEmpty, "no detail")
  }
}

private func understood(
  _ head: RequestHead, _ content: [UInt8]
) -> Result<ControlRequest, ControlError> {
  do throws(ControlError) {
    return .success(try ControlRequest(head, content: content))
  } catch {
    return .failure(error)
  }
}

private func check(_ request: ControlRequest) throws(Violation) {
  switch request {
  case .create(let request):
    let leases = 1...ControlRequest.SessionRequest.leaseMax_s
    try require(leases.contains(request.lease_s), "lease \(request.lease_s)")
    guard let name = request.cassette else { return }
    let isBeside = !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(0x2F)
    try require(isBeside && !name.utf8.contains(0), "cassette \(name.debugDescription)")
  case .exchanges(_, let after, let limit):
    try require(after >= 0, "after \(after)")
    try require((1...ControlRequest.exchangesMax).contains(limit), "limit \(limit)")
  case .exchange(_, let number): try require(number > 0, "exchange \(number)")
  case .flags(_, let raise, let clear): try require(!(raise + clear).isEmpty, "no flags")
  case .session(let id), .delete(let id, _), .reset(let id), .scenario(let id, _),
    .tags(let id, _), .release(let id, _), .clock(let id, _), .verdict(let id, _):
    try require(!id.isEmpty, "no id")
  case .events(let id, _): try require(!id.isEmpty, "no id")
  case .interactions(let id, _, let after, let limit):
    try require(!id.isEmpty && after >= 0, "after \(after)")
    try require((1...ControlRequest.interactionsMax).contains(limit), "limit \(limit)")
  case .health, .description, .metrics, .sessions, .inspector: break
  }
}

private func checkAccess(_ value: [UInt8]) throws(Violation) {
  let own = ["127.0.0.1:8378", "localhost:8378", "[::1]:8378"].map { Array($0.utf8) }
  let isOwn = own.contains(value.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
  let open = ControlAccess(host: "127.0.0.1", port: 8378, token: nil)
  try require(isLetIn(open, [("Host", value)]) == isOwn, "Host \(value)")
  let host = ("Host" as StaticString, own[0])
  if isLetIn(open, [host, ("Origin", value)]) {
    let isHTTP = value.starts(with: "http://".utf8)
    try require(isHTTP && isLetIn(open, [("Host", Array(value.dropFirst(7)))]), "Origin \(value)")
  }
  let locked = ControlAccess(host: "0.0.0.0", port: 8378, token: "opensesame")
  for word in [value, Array("Bearer ".utf8) + value] {
    let isRight = word.dropFirst(7).elementsEqual("opensesame".utf8)
    try require(!isLetIn(locked, [host, ("Authorization", word)]) || isRight, "token \(word)")
  }
  if let cursor = JournalCursor(value) {
    try require(JournalCursor("\(cursor)".utf8) == cursor, "Last-Event-ID \(cursor)")
  }
}

private func isLetIn(_ access: ControlAccess, _ values: [(StaticString, [UInt8])]) -> Bool {
  var fields = FieldSection()
  for (name, value) in values { fields.append(name, value) }
  do throws(ControlError) {
    try access.check(
      RequestHead(method: .get, target: Array("/v1/sessions".utf8), fields: fields))
    return true
  } catch {
    return false
  }
}
