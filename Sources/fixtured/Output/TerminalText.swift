/// Text that came from outside, made safe to print: a terminal obeys control characters, and
/// characters that change the direction of writing or take no space make a line look like another.
extension String {
  /// The text with every character that is not plainly visible as `\u{…}` (`\t`, `\r`, `\n` for
  /// those three). Backslashes stay as they are.
  var escapedForTerminal: String {
    guard unicodeScalars.contains(where: \.needsEscape) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.needsEscape {
        result += scalar.escape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The escaped text; in quotation marks when it is empty or would not read as one word.
  var quotedForTerminal: String {
    let text = escapedForTerminal
    return text.isEmpty || text.contains(" ") ? "\"\(text)\"" : text
  }
}

extension Unicode.Scalar {
  /// Control and format characters, line and paragraph separators, and what has no meaning of its
  /// own (surrogates cannot occur; private use and unassigned code points can).
  var needsEscape: Bool {
    switch value {
    case 0x20..<0x7F: false
    case 0..<0xA0: true
    default:
      switch properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
        .surrogate:
        true
      default: false
      }
    }
  }

  var escape: String {
    switch value {
    case 0x09: "\\t"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}

extension String {
  /// Bytes as text for a terminal: a byte that is not UTF-8 becomes `\xNN`, a backslash is doubled,
  /// the rest is escaped as `escapedForTerminal` does. Different bytes give different text.
  init(escaping bytes: some Sequence<UInt8>) {
    self = ""
    var rest = Array(bytes)[...]
    while let first = rest.first {
      if let (scalar, count) = rest.leadingScalar {
        if scalar.needsEscape {
          append(scalar.escape)
        } else {
          unicodeScalars.append(scalar)
          if scalar == "\\" { append("\\") }
        }
        rest = rest.dropFirst(count)
      } else {
        append("\\x" + [first].hexadecimal)
        rest = rest.dropFirst()
      }
    }
  }
}

extension ArraySlice<UInt8> {
  /// The scalar that the bytes begin with and the bytes it takes; nil when they begin with none, or
  /// with an overlong form, a surrogate, or the beginning of a scalar (Unicode 3.9, D92).
  var leadingScalar: (scalar: Unicode.Scalar, count: Int)? {
    guard let lead = first else { return nil }
    let count: Int
    var value: UInt32
    let smallest: UInt32
    switch lead {
    case 0x00..<0x80: return (Unicode.Scalar(lead), 1)
    case 0xC2..<0xE0: (count, value, smallest) = (2, UInt32(lead & 0x1F), 0x80)
    case 0xE0..<0xF0: (count, value, smallest) = (3, UInt32(lead & 0x0F), 0x800)
    case 0xF0..<0xF5: (count, value, smallest) = (4, UInt32(lead & 0x07), 0x10000)
    default: return nil
    }
    guard self.count >= count else { return nil }
    for byte in self[(startIndex + 1)..<(startIndex + count)] {
      guard UTF8.isContinuation(byte) else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, count)
  }
}

extension Collection<UInt8> {
  /// Two lower case digits a byte.
  var hexadecimal: String {
    var text = ""
    text.reserveCapacity(count * 2)
    for byte in self {
      if byte < 0x10 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
