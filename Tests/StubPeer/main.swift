import FixtureStub
import Foundation

// The stub under load, in a process of its own: what would take a test run with it, or too long for
// one, and what one request costs.
//
//   StubPeer parallel RUNS   64 sessions on one URL, each with its own cassette, 50 requests each
//   StubPeer delayed RUNS    10,000 delayed answers in flight
//   StubPeer cancelled       1,000 tasks cancelled during a delay
//   StubPeer stormed         5,000 tasks cancelled at any moment, also as their answer comes
//   StubPeer cost            a request against one to a bare URLProtocol, of 10,000 interactions
//
// Ends with status 1 when something is not as it must be.

let arguments = CommandLine.arguments.dropFirst()
let runs = arguments.dropFirst().first.flatMap { Int($0) } ?? 1
let isRight: Bool
switch arguments.first {
case "parallel": isRight = try await Load.parallel(runs: runs)
case "delayed": isRight = try await Load.delayed(runs: runs)
case "cancelled": isRight = try await Load.cancelled()
case "stormed": isRight = try await Load.stormed()
case "cost": isRight = try await Cost.compare()
default:
  print("usage: StubPeer parallel RUNS | delayed RUNS | cancelled | stormed | cost")
  isRight = false
}
exit(isRight ? 0 : 1)
