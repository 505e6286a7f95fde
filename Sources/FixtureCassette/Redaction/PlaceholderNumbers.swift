import FixtureHTTP

/// New numbers for placeholders, where recordings come together: `REDACTED-1` of one is not
/// `REDACTED-1` of the other.
package struct PlaceholderNumbers: Equatable, Sendable {
  /// Added to a number that has no other.
  package var offset: Int64
  /// New numbers, by the old.
  package var numbers: [Int64: Int64]
  /// Numbers up to this one stay.
  package var keptUpTo: Int64

  package init(offset: Int64 = 0, numbers: [Int64: Int64] = [:], keptUpTo: Int64 = 0) {
    self.offset = offset
    self.numbers = numbers
    self.keptUpTo = keptUpTo
  }

  package subscript(number: Int64) -> Int64 {
    if number <= keptUpTo { return number }
    return min(numbers[number] ?? number + offset, Placeholder.numberMax)
  }

  /// Gives the secrets of `text:` rules the numbers that they have in cassettes before.
  /// - Parameter known: those numbers by rule, which get what is new.
  package mutating func join(_ texts: [String: [Int64]], to known: inout [String: [Int64]]) {
    for (rule, own) in texts {
      var joined = known[rule] ?? []
      for (index, number) in own.enumerated() {
        if index < joined.count {
          numbers[number] = joined[index]
        } else {
          joined.append(self[number])
        }
      }
      known[rule] = joined
    }
  }

  /// The text with its placeholders renumbered; nil when that changes nothing.
  package func renumbering(_ text: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    var kept = 0
    for place in Placeholder.places(in: text) {
      let new = self[place.number]
      guard new != place.number else { continue }
      result += text[kept..<place.range.lowerBound]
      let token = JSONWebToken.range(around: place.range, in: text, from: kept)
      if token == place.range {
        result += Placeholder(number: new).bytes
      } else {
        // What fills its last group up is another one.
        result += JSONWebToken.signature(Placeholder(number: new))
      }
      kept = token.upperBound
    }
    return kept == 0 ? nil : result + text[kept...]
  }

  /// Renumbers the heads, trailers and interim responses.
  package func renumber(_ interaction: inout Interaction) {
    if let target = renumbering(interaction.request.target) { interaction.request.target = target }
    renumber(&interaction.request.fields)
    renumber(&interaction.requestTrailers)
    for index in interaction.interims.indices {
      renumber(&interaction.interims[index].head.fields)
    }
    guard var response = interaction.response else { return }
    renumber(&response.head.fields)
    renumber(&response.trailers)
    interaction.response = response
  }

  private func renumber(_ section: inout FieldSection) {
    guard Placeholder.places(in: section.bytes).contains(where: { self[$0.number] != $0.number })
    else { return }
    section = section.mapValues { _, value in renumbering(Array(value)).map { $0[...] } ?? value }
  }
}

extension Placeholder {
  /// Where a placeholder stands in a text.
  package struct Place: Equatable, Sendable {
    package let range: Range<Int>
    package let number: Int64
  }

  /// Every placeholder that stands unescaped in a text, in order. One that goes on with further
  /// digits is none.
  package static func places(in text: [UInt8]) -> [Place] {
    guard text.withUnsafeBytes({ mayOccur(in: $0) }) else { return [] }
    let prefix = Array("REDACTED-".utf8)
    var places: [Place] = []
    var index = 0
    while index + prefix.count < text.count {
      guard text[index] == 0x52, text[index...].starts(with: prefix) else {
        index += 1
        continue
      }
      let digits = text[(index + prefix.count)...].prefix { $0 >= 0x30 && $0 <= 0x39 }
      let range = index..<digits.endIndex
      if let placeholder = Placeholder(text[range]) {
        places.append(Place(range: range, number: placeholder.number))
      }
      index = digits.endIndex
    }
    return places
  }

  /// The text without the numbers of its placeholders, which differ between recordings.
  package static func masking(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var kept = 0
    for place in places(in: text) {
      let token = JSONWebToken.range(around: place.range, in: text, from: kept)
      result += text[kept..<place.range.lowerBound]
      result += anonymous
      kept = token.upperBound
    }
    return kept == 0 ? text : result + text[kept...]
  }

  /// The numbers in the heads, trailers and interim responses of an interaction.
  package static func numbers(in interaction: Interaction) -> Set<Int64> {
    var texts = [
      interaction.request.target, interaction.request.fields.bytes,
      interaction.requestTrailers.bytes,
    ]
    texts += interaction.interims.map(\.head.fields.bytes)
    if let response = interaction.response {
      texts += [response.head.fields.bytes, response.trailers.bytes]
    }
    return Set(texts.flatMap { places(in: $0).map(\.number) })
  }
}
