/// A field value with parameters, as `Content-Type` (RFC 9110 §8.3.1) and `Content-Disposition`
/// (RFC 6266 §4.1) have it: `value; name=value; name="value"`.
///
/// Read with the leniency of what is sent: an unquoted parameter may hold any byte but `;`, empty
/// parameters are passed over, one without `=` is no parameter.
package struct ParameterizedValue: Equatable, Sendable {
  package struct Parameter: Equatable, Sendable {
    /// In lower case.
    package let name: [UInt8]
    /// Without quotes and their escapes.
    package let value: [UInt8]
  }

  /// What stands before the first `;`, in lower case, without whitespace around it.
  package let value: [UInt8]
  /// In the order given, repeats kept.
  package let parameters: [Parameter]

  package init(_ text: ArraySlice<UInt8>) {
    let end = text.firstIndex(of: 0x3B) ?? text.endIndex
    value = text[..<end].trimmingOptionalWhitespace.map(\.asciiLowercased)
    var parameters: [Parameter] = []
    var rest = text[end...]
    while let separator = rest.first, separator == 0x3B {
      if let parameter = Self.takeParameter(from: &rest) { parameters.append(parameter) }
    }
    self.parameters = parameters
  }

  /// The value of the first parameter with this name; nil when there is none.
  package subscript(name: StaticString) -> [UInt8]? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return parameters.first { $0.name.elementsEqual(name) }?.value
  }

  /// - Parameter rest: begins with the `;` before the parameter, and then with the next one.
  private static func takeParameter(from rest: inout ArraySlice<UInt8>) -> Parameter? {
    rest = rest.dropFirst()
    let nameEnd = rest.firstIndex { $0 == 0x3D || $0 == 0x3B } ?? rest.endIndex
    let name = rest[..<nameEnd].trimmingOptionalWhitespace.map(\.asciiLowercased)
    guard nameEnd < rest.endIndex, rest[nameEnd] == 0x3D else {
      rest = rest[nameEnd...]
      return nil
    }
    rest = rest[(nameEnd + 1)...].drop(while: \.isOptionalWhitespace)
    let value = rest.first == 0x22 ? takeQuoted(from: &rest) : takeBare(from: &rest)
    return name.isEmpty ? nil : Parameter(name: name, value: value)
  }

  private static func takeBare(from rest: inout ArraySlice<UInt8>) -> [UInt8] {
    let end = rest.firstIndex(of: 0x3B) ?? rest.endIndex
    defer { rest = rest[end...] }
    return Array(rest[..<end].trimmingOptionalWhitespace)
  }

  /// A quoted string (RFC 9110 §5.6.4); without its closing quote it goes to the end. What stands
  /// between it and the next `;` is passed over.
  private static func takeQuoted(from rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var value: [UInt8] = []
    var index = rest.startIndex + 1
    while index < rest.endIndex, rest[index] != 0x22 {
      if rest[index] == 0x5C, index + 1 < rest.endIndex { index += 1 }
      value.append(rest[index])
      index += 1
    }
    rest = rest[min(index, rest.endIndex)...].drop { $0 != 0x3B }
    return value
  }
}
