import FixtureExchange
import FixtureHTTP
import Testing

@Suite struct `When a request is sent again` {
  @Test(arguments: [
    (Method.get, true), (.head, true), (.put, true), (.delete, true), (.options, true),
    (.trace, true), (.post, false), (.patch, false), (.connect, false),
    (.other(Array("PROPFIND".utf8)), false),
  ])
  func `only an idempotent method is`(method: Method, retried: Bool) {
    let mayRetry = RetryRule.mayRetry(
      method: method, reused: true, answerBegun: false, contentIsWhole: true)
    #expect(mayRetry == retried)
  }

  @Test(arguments: [
    (Method.get, Int64(60_000_000_000), true), (.put, 60_000_000_000, true),
    (.post, 999_999_999, true), (.post, 1_000_000_000, false), (.patch, 1_000_000_000, false),
  ])
  func `one that could not be is not risked on a connection that was idle`(
    method: Method, idle_ns: Int64, reused: Bool
  ) {
    #expect(RetryRule.mayReuse(method: method, idle_ns: idle_ns) == reused)
  }

  @Test func `only on a reused connection, before an answer, with all of its content`() {
    for reused in [true, false] {
      for answerBegun in [true, false] {
        for contentIsWhole in [true, false] {
          let mayRetry = RetryRule.mayRetry(
            method: .get, reused: reused, answerBegun: answerBegun, contentIsWhole: contentIsWhole)
          #expect(mayRetry == (reused && !answerBegun && contentIsWhole))
        }
      }
    }
  }
}
