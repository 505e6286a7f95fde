import Testing

@testable import FixtureEventLoop

/// Which of `count` expectations are stayed awake for, when each of those ends as `inTime` says.
private func awake(_ vigil: Vigil, count: Int, inTime: Bool) -> [Int] {
  (0..<count).filter { _ in
    guard vigil.begins() else { return false }
    vigil.ended(inTime: inTime)
    return true
  }
}

@Suite struct `Staying awake for what is expected` {
  @Test func `what comes in time is always stayed awake for`() {
    let vigil = Vigil()
    #expect(awake(vigil, count: 5, inTime: true) == [0, 1, 2, 3, 4])
  }

  @Test func `what comes late is slept through more and more`() {
    let vigil = Vigil()
    #expect(awake(vigil, count: 40, inTime: false) == [0, 2, 5, 10, 19, 36])
  }

  @Test func `of many that come late one of 65 is stayed awake for`() {
    let vigil = Vigil()
    _ = awake(vigil, count: 1000, inTime: false)
    #expect(awake(vigil, count: 650, inTime: false).count == 10)
  }

  @Test func `once it comes in time again it is stayed awake for at once`() {
    let vigil = Vigil()
    _ = awake(vigil, count: 1000, inTime: false)
    while !vigil.begins() {}
    vigil.ended(inTime: true)
    #expect(awake(vigil, count: 3, inTime: true) == [0, 1, 2])
  }
}
