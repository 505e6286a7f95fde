/// A hash of a JSON text that is the same for all texts of the same value, made in one pass
/// without building or sorting anything: the members of an object are summed, which disregards
/// their order.
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

  private let bytes: UnsafeRawBufferPointer
  private var json: ComparedJSON
  private var frames: [Frame] = []
  private var text: [UInt8] = []

  private init(_ bytes: UnsafeRawBufferPointer, ignoring ignored: JSONPointerTree) {
    self.bytes = bytes
    json = ComparedJSON(bytes, ignoring: ignored)
    frames.reserveCapacity(16)
  }

  /// - Parameter features: gets one for each value that is no container.
  /// - Returns: nil when the text is no JSON.
  static func value(
    of bytes: UnsafeRawBufferPointer, ignoring ignored: JSONPointerTree,
    features: inout ContentFeatures
  ) -> UInt64? {
    var fingerprint = JSONFingerprint(bytes, ignoring: ignored)
    return fingerprint.run(&features)
  }

  private mutating func run(_ features: inout ContentFeatures) -> UInt64? {
    var whole: UInt64 = 0
    while true {
      var value: UInt64
      switch json.nextToken() {
      case .object?:
        push(isObject: true)
        continue
      case .array?:
        push(isObject: false)
        continue
      case .name(let name)?:
        frames[frames.count - 1].name = hash(of: name)
        continue
      case .objectEnd?, .arrayEnd?: value = pop()
      case .string(let span)?: value = leaf(StableHash.mix(0x73, hash(of: span)), &features)
      case .number(let span)?: value = leaf(JSONNumber(self[span]).hash, &features)
      case .true?: value = leaf(2, &features)
      case .false?: value = leaf(3, &features)
      case .null?: value = leaf(4, &features)
      case nil: value = 5
      case .end?: return whole
      case .invalid?: return nil
      }
      if frames.isEmpty { whole = value } else { add(value) }
    }
  }

  private subscript(span: JSONScanner.Span) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[span.range])
  }

  private mutating func hash(of span: JSONScanner.Span) -> UInt64 {
    guard span.isEscaped else { return StableHash.value(of: self[span]) }
    text.removeAll(keepingCapacity: true)
    JSONString.appendText(of: span, in: bytes, to: &text)
    return StableHash.value(of: text)
  }

  private mutating func push(isObject: Bool) {
    frames.append(Frame(isObject: isObject, path: place))
  }

  /// Of the value that begins now.
  private var place: UInt64 {
    guard let frame = frames.last else { return 0 }
    return StableHash.mix(frame.path, frame.isObject ? frame.name : frame.count)
  }

  private mutating func leaf(_ value: UInt64, _ features: inout ContentFeatures) -> UInt64 {
    features.append(StableHash.mix(place, value))
    return value
  }

  /// Adds a value to the container it stands in.
  private mutating func add(_ value: UInt64) {
    let last = frames.count - 1
    frames[last].count += 1
    if frames[last].isObject {
      frames[last].sum &+= StableHash.mix(frames[last].name, value)
    } else {
      frames[last].sum = StableHash.mix(frames[last].sum, value)
    }
  }

  private mutating func pop() -> UInt64 {
    let frame = frames.removeLast()
    return StableHash.mix(StableHash.mix(frame.isObject ? 0x7B : 0x5B, frame.count), frame.sum)
  }
}
