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
      case .name?:
        frames[depth &- 1].name = textHash()
        continue
      case .objectEnd?, .arrayEnd?: value = pop()
      case .string?: value = leaf(StableHash.mix(0x73, textHash()), &features)
      case .number?: value = leaf(JSONNumber.hash(of: json.span.bytes(in: bytes)), &features)
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

  /// Of the last name or string.
  @inline(__always)
  private mutating func textHash() -> UInt64 {
    json.span.isHashed ? json.span.hash : unusualHash()
  }

  private mutating func unusualHash() -> UInt64 {
    let span = json.span
    guard span.isEscaped else { return JSONString.hash(of: span.bytes(in: bytes)) }
    text.removeAll(keepingCapacity: true)
    JSONString.appendText(of: span, in: bytes, to: &text)
    return text.withUnsafeBytes { JSONString.hash(of: $0) }
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
