/// The exchanges of a journal, in pages: the oldest go without the others being moved.
struct JournalPages {
  private static let pageCount = 1000

  /// All but the first and the last are full.
  private var pages: [[KeptExchange]] = []
  private(set) var count = 0

  subscript(index: Int) -> KeptExchange {
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

  mutating func append(_ exchange: KeptExchange) {
    if pages.last?.count ?? Self.pageCount == Self.pageCount {
      pages.append([])
      pages[pages.count - 1].reserveCapacity(Self.pageCount)
    }
    pages[pages.count - 1].append(exchange)
    count += 1
  }

  /// - Parameter removed: called with each of them.
  /// - Precondition: there are as many.
  mutating func removeFirst(_ count: Int, _ removed: (KeptExchange) -> Void) {
    var rest = count
    self.count -= count
    while rest > 0 {
      let step = Swift.min(rest, pages[0].count)
      for exchange in pages[0][..<step] { removed(exchange) }
      if step == pages[0].count { pages.removeFirst() } else { pages[0].removeFirst(step) }
      rest -= step
    }
  }
}

extension JournalPages: Sequence {
  func makeIterator() -> some IteratorProtocol<KeptExchange> { pages.joined().makeIterator() }

  var underestimatedCount: Int { count }
}
