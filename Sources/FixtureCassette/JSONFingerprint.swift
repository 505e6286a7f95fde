/// A hash of a JSON text that is the same for all texts of the same value, made in one pass
/// without building, sorting or allocating anything: the members of an object are summed, which
/// disregards their order.
///
/// Different values can share one; `JSONCanonicalForm` tells.
struct JSONFingerprint {
  private struct Frame {
    let isObject: Bool
    var sum: UInt64 = 0
    var count: UInt64 = 0
    /// Of the name whose value comes next.
    var name: UInt64 = 0
    /// Of the place of the container.
    let path: UInt64
  }

  /// Levels that fit on the stack; texts that go deeper are rare, and read again.
  private static let usualDepthMax = 24

  private let bytes: UnsafeRawBufferPointer
  private var json: ComparedJSON
  /// Of the open containers, `depth` of them.
  private let frames: UnsafeMutableBufferPointer<Frame>
  private var depth = 0
  private var text: [UInt8] = []

  /// - Parameter features: gets one for each value that is no container.
  /// - Returns: nil when the text is no JSON.
  static func value(
    of bytes: UnsafeRawBufferPointer, ignoring ignored: JSONPointerTree,
    features: inout ContentFeatures
  ) -> UInt64? {
    for depthMax in [usualDepthMax, JSONScanner.depthMax] {
      let known = features.values.count
      let result = withUnsafeTemporaryAllocation(of: Frame.self, capacity: depthMax) { frames in
        var fingerprint = JSONFingerprint(
          bytes: bytes, json: ComparedJSON(bytes, ignoring: ignored), frames: frames)
        return fingerprint.run(&features)
      }
      switch result {
      case .value(let value): return value
      case .invalid: return nil
      case .tooDeep: features.removeAll(from: known)
      }
    }
    return nil
  }

  private enum Result {
    case value(UInt64)
    case invalid
    /// There are more levels than frames.
    case tooDeep
  }

  private mutating func run(_ features: inout ContentFeatures) -> Result {
    var whole: UInt64 = 0
    while true {
      let value: UInt64
      switch json.nextToken() {
      case .object?:
        guard push(isObject: true) else { return .tooDeep }
        continue
      case .array?:
        guard push(isObject: false) else { return .tooDeep }
        continue
      case .name(let name)?:
        frames[depth &- 1].name = hash(of: name)
        continue
      case .objectEnd?, .arrayEnd?: value = pop()
      case .string(let span)?: value = leaf(StableHash.mix(0x73, hash(of: span)), &features)
      case .number(let span)?: value = leaf(JSONNumber.hash(of: span.bytes(in: bytes)), &features)
      case .true?: value = leaf(2, &features)
      case .false?: value = leaf(3, &features)
      case .null?: value = leaf(4, &features)
      case nil: value = 5
      case .end?: return .value(whole)
      case .invalid?: return .invalid
      }
      if depth == 0 { whole = value } else { add(value) }
    }
  }

  private mutating func hash(of span: JSONScanner.Span) -> UInt64 {
    guard span.isEscaped else { return Self.hash(bytes, from: span.start, to: span.end) }
    text.removeAll(keepingCapacity: true)
    JSONString.appendText(of: span, in: bytes, to: &text)
    return text.withUnsafeBytes { Self.hash($0, from: 0, to: $0.count) }
  }

  /// As `StableHash` mixes, with sixteen bytes a step: most strings are done in one.
  @inline(__always)
  private static func hash(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> UInt64
  {
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    let count = end &- start
    let seed = UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15
    if count < 8 {
      if start &+ 8 <= bytes.count {
        return StableHash.mix(seed, word(start) & ~(.max << UInt64(count &* 8)))
      }
      var word: UInt64 = 0
      for index in 0..<count { word |= UInt64(bytes[start &+ index]) &<< UInt64(index &* 8) }
      return StableHash.mix(seed, word)
    }
    var hash = seed
    var offset = start
    while end &- offset > 16 {
      hash = StableHash.mix(hash ^ word(offset), word(offset &+ 8))
      offset &+= 16
    }
    // The last sixteen bytes, or eight, whatever of them was taken already.
    return StableHash.mix(hash ^ word(max(start, end &- 16)), word(end &- 8))
  }

  private mutating func push(isObject: Bool) -> Bool {
    guard depth < frames.count else { return false }
    frames.initializeElement(
      at: depth, to: Frame(isObject: isObject, path: Self.place(in: frames, depth)))
    depth &+= 1
    return true
  }

  /// Of the value that begins now.
  private static func place(in frames: UnsafeMutableBufferPointer<Frame>, _ depth: Int) -> UInt64 {
    guard depth > 0 else { return 0 }
    let frame = frames[depth &- 1]
    return StableHash.mix(frame.path, frame.isObject ? frame.name : frame.count)
  }

  private mutating func leaf(_ value: UInt64, _ features: inout ContentFeatures) -> UInt64 {
    // Not mixed as well as a value: it only has to differ most of the time.
    if depth > 0 {
      let frame = frames[depth &- 1]
      let step = frame.isObject ? frame.name : frame.count &* 0x9e37_79b9_7f4a_7c15
      features.append(frame.path ^ step ^ value)
    } else {
      features.append(value)
    }
    return value
  }

  /// Adds a value to the container it stands in.
  private mutating func add(_ value: UInt64) {
    let last = depth &- 1
    frames[last].count &+= 1
    if frames[last].isObject {
      frames[last].sum &+= StableHash.mix(frames[last].name, value)
    } else {
      frames[last].sum = StableHash.mix(frames[last].sum, value)
    }
  }

  private mutating func pop() -> UInt64 {
    depth &-= 1
    let frame = frames[depth]
    return StableHash.mix(StableHash.mix(frame.isObject ? 0x7B : 0x5B, frame.count), frame.sum)
  }
}
