/// The bytes that JSON texts of one value share and others do not have.
///
///     object   { members }   by name, as bytes; equal names in the order given
///     array    [ elements ]
///     string   s, four bytes of length, the text as UTF-8; a name is the same without s
///     number   n, four bytes of length, the text of its exact value
///     true, false, null      t, f, z
///     an element that is not compared    -
struct JSONCanonicalForm {
  private struct Member {
    let start: Int
    var nameEnd: Int
    var end: Int
  }

  private struct Container {
    /// Where its members begin in the output; nil for an array.
    let membersStart: Int?
    /// Its first one in `members`.
    let firstMember: Int
  }

  private let bytes: UnsafeRawBufferPointer
  private var json: ComparedJSON
  private var containers: [Container] = []
  /// Of all open objects, one after the other.
  private var members: [Member] = []

  private init(_ bytes: UnsafeRawBufferPointer, ignoring ignored: JSONPointerTree) {
    self.bytes = bytes
    json = ComparedJSON(bytes, ignoring: ignored)
  }

  /// - Returns: whether the text is JSON; if not, `output` has a meaningless rest.
  static func append(
    of bytes: UnsafeRawBufferPointer, ignoring ignored: JSONPointerTree, to output: inout [UInt8]
  ) -> Bool {
    var form = JSONCanonicalForm(bytes, ignoring: ignored)
    return form.run(&output)
  }

  private mutating func run(_ output: inout [UInt8]) -> Bool {
    while true {
      switch json.nextToken() {
      case .object?: open(0x7B, isObject: true, &output)
      case .array?: open(0x5B, isObject: false, &output)
      case .name?: beginMember(&output)
      case .objectEnd?, .arrayEnd?: close(&output)
      case .string?:
        output.append(0x73)
        appendText(to: &output)
      case .number?: appendNumber(to: &output)
      case .true?: output.append(0x74)
      case .false?: output.append(0x66)
      case .null?: output.append(0x7A)
      case nil: output.append(0x2D)
      case .end?: return true
      case .invalid?: return false
      }
    }
  }

  private mutating func open(_ mark: UInt8, isObject: Bool, _ output: inout [UInt8]) {
    output.append(mark)
    containers.append(
      Container(membersStart: isObject ? output.count : nil, firstMember: members.count))
  }

  private mutating func beginMember(_ output: inout [UInt8]) {
    endMember(at: output.count)
    let start = output.count
    appendText(to: &output)
    members.append(Member(start: start, nameEnd: output.count, end: output.count))
  }

  /// The member before this place, if there is one in the innermost container, ends here.
  private mutating func endMember(at end: Int) {
    guard let container = containers.last, members.count > container.firstMember else { return }
    members[members.count - 1].end = end
  }

  private mutating func close(_ output: inout [UInt8]) {
    endMember(at: output.count)
    let container = containers.removeLast()
    guard let start = container.membersStart else { return output.append(0x5D) }
    sort(members[container.firstMember...], in: &output, from: start)
    members.removeSubrange(container.firstMember...)
    output.append(0x7D)
  }

  private func sort(_ members: ArraySlice<Member>, in output: inout [UInt8], from start: Int) {
    let isSorted = zip(members, members.dropFirst()).allSatisfy { left, right in
      !precedes(right, left, in: output)
    }
    if isSorted { return }
    let given = Array(output[start...])
    let sorted = members.sorted { precedes($0, $1, in: output) }
    output.removeSubrange(start...)
    for member in sorted { output += given[(member.start - start)..<(member.end - start)] }
  }

  /// Equal names keep their order, by where they lie.
  private func precedes(_ left: Member, _ right: Member, in output: [UInt8]) -> Bool {
    let leftName = output[(left.start + 4)..<left.nameEnd]
    let rightName = output[(right.start + 4)..<right.nameEnd]
    if leftName.elementsEqual(rightName) { return left.start < right.start }
    return leftName.lexicographicallyPrecedes(rightName)
  }

  private func appendText(to output: inout [UInt8]) {
    output.appendPrefixed { JSONString.appendText(of: json.span, in: bytes, to: &$0) }
  }

  private func appendNumber(to output: inout [UInt8]) {
    output.append(0x6E)
    let number = JSONNumber(json.span.bytes(in: bytes))
    output.appendPrefixed { number.appendCanonical(to: &$0) }
  }
}
