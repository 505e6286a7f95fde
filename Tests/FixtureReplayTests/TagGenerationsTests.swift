import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct TagGenerationsTests {
  @Test func `a tag changes with every so many requests, of any kind`() {
    let schedule = EntityTagChange.Schedule.every(5)
    let generations = (1...12).map { schedule.generation(request: $0, elapsed: .zero) }
    #expect(generations == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2])
    #expect(
      (1...3).map { EntityTagChange.Schedule.every(1).generation(request: $0, elapsed: .zero) } == [
        0, 1, 2,
      ])
  }

  @Test func `a tag changes before the requests that are named`() {
    let schedule = EntityTagChange.Schedule.at([4, 2, 2])
    #expect(
      (1...5).map { schedule.generation(request: $0, elapsed: .zero) } == [0, 1, 1, 2, 2])
    #expect(EntityTagChange.Schedule.at([1]).generation(request: 1, elapsed: .zero) == 1)
  }

  @Test func `a tag changes each time so much has passed`() {
    let schedule = EntityTagChange.Schedule.each(.seconds(2))
    let elapsed: [Duration] = [
      .zero, .milliseconds(1999), .seconds(2), .milliseconds(3999), .seconds(60),
    ]
    #expect(elapsed.map { schedule.generation(request: 1, elapsed: $0) } == [0, 0, 1, 1, 30])
  }

  @Test func `requests are counted for each target and upstream`() {
    var generations = TagGenerations()
    let a = TagGenerations.Target(Array("/a".utf8), upstream: nil)
    #expect(generations.next(of: a) == 1)
    generations.note(a)
    generations.note(a)
    #expect(generations.next(of: a) == 3)
    for (target, upstream) in [("/a?", nil), ("/a", "api"), ("/A", nil)] as [(String, String?)] {
      let other = TagGenerations.Target(Array(target.utf8), upstream: upstream)
      #expect(generations.next(of: other) == 1)
    }
  }

  @Test(arguments: [
    ("\"a\"", 0, "\"a\""), ("\"a\"", 1, "\"a-g1\""), ("W/\"a,b\"", 12, "W/\"a,b-g12\""),
    ("\"\"", 1, "\"-g1\""), ("v1", 0, "v1"), ("v1", 1, "\"v1-g1\""),
  ])
  func `a new tag has the strength of the old one`(
    _ tag: String, _ generation: Int64, _ expected: String
  ) {
    let fields = section(("A", "1"), ("etag", tag), ("B", "2"), ("ETag", "\"more\""))
    let target = TagGenerations.Target(Array("/a".utf8), upstream: nil)
    #expect(
      fields.withTag(generation: generation, of: target)
        == section(("A", "1"), ("etag", expected), ("B", "2")))
  }

  @Test func `what has no tag gets one for each generation`() {
    let target = TagGenerations.Target(Array("/a".utf8), upstream: nil)
    let tags = (0..<3).map { generation in
      EntityTagList(
        .etag, in: section(("A", "1")).withTag(generation: Int64(generation), of: target))
    }
    #expect(Set(tags.map { "\(String(describing: $0))" }).count == 3)
  }

  /// B42: an old tag matches in no form, a new one in all that match.
  @Test func `an old tag misses in every form`() throws {
    let target = TagGenerations.Target(Array("/a".utf8), upstream: nil)
    for tag in ["\"a\"", "W/\"a,b\""] {
      let fields = section(("ETag", tag)).withTag(generation: 1, of: target)
      let current = Validators(fields)
      let new = try #require(current.entityTag)
      let old = try #require(EntityTag(parsing: Array(tag.utf8)[...]))
      #expect(new.isWeak == old.isWeak)
      for form in [old, EntityTag(old.opaque), EntityTag(old.opaque, isWeak: true)] {
        let text = String(decoding: form.bytes, as: UTF8.self)
        for value in [text, "\"x\", \(text)", "\"x\",,\(text)"] {
          let outcome = Preconditions.evaluate(
            .get, section(("If-None-Match", value)), against: current)
          #expect(outcome == .proceed, "\(value)")
        }
      }
      let value = String(decoding: EntityTag(new.opaque).bytes, as: UTF8.self)
      #expect(
        Preconditions.evaluate(.get, section(("If-None-Match", value)), against: current)
          == .notModified)
    }
  }
}
