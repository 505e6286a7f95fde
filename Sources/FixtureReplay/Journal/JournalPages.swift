/// The entries of a journal, in pages: the oldest go without the others being moved.
struct JournalPages {
  private static let pageCount = 1000

  /// All but the first and the last are full.
  private var pages: [[JournalEntry]] = []
  private(set) var count = 0

  subscript(index: Int) -> JournalEntry {
    _read {
      let (page, place) = self.place(of: index)
      yield pages[page][place]
    }
    _modify {
      let (page, place) = self.place(of: index)
      yield &pages[page][place]
    }
  }

  private func place(of index: Int) -> (page: Int, place: Int) {
    precondition(index < count, "no entry \(index) of \(count)")
    let first = pages[0].count
    guard index >= first else { return (0, index) }
    let (page, place) = (index - first).quotientAndRemainder(dividingBy: Self.pageCount)
    return (page + 1, place)
  }

  mutating func append(_ entry: JournalEntry) {
    if pages.last?.count ?? Self.pageCount == Self.pageCount {
      pages.append([])
      pages[pages.count - 1].reserveCapacity(Self.pageCount)
    }
    pages[pages.count - 1].append(entry)
    count += 1
  }

  /// - Parameter removed: called with each of them.
  /// - Precondition: there are as many.
  mutating func removeFirst(_ count: Int, _ removed: (JournalEntry) -> Void) {
    var rest = count
    self.count -= count
    while rest > 0 {
      let step = Swift.min(rest, pages[0].count)
      for entry in pages[0][..<step] { removed(entry) }
      if step == pages[0].count { pages.removeFirst() } else { pages[0].removeFirst(step) }
      rest -= step
    }
  }
}

extension JournalPages: Sequence {
  func makeIterator() -> some IteratorProtocol<JournalEntry> { pages.joined().makeIterator() }

  var underestimatedCount: Int { count }
}
