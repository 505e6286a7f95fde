/// Finds where a head ends without reading it.
package enum HeadEnd {
  /// Behind the empty line of the head that `input` starts with; nil when it does not end within
  /// `bound` bytes. Whether it is one that may be answered is not looked at.
  package static func find(in input: UnsafeRawBufferPointer, within bound: Int) -> Int? {
    let bound = min(bound, input.count)
    var start = 0
    while true {
      let lineFeed = ByteScan.lineFeed(in: input, from: start, to: bound)
      guard lineFeed < bound else { return nil }
      if lineFeed == start + 1, input[start] == 0x0D { return start == 0 ? nil : lineFeed + 1 }
      start = lineFeed + 1
    }
  }
}
