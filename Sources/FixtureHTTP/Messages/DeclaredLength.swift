extension FieldSection {
  /// The length that a section declares (RFC 9110 §8.6): one number, however often it is said.
  ///
  /// nil without a Content-Length, and for one that is no number or says two of them.
  package var declaredLength: Int64? {
    var length: Int64?
    var start = 0
    while let index = index(of: .contentLength, from: start) {
      for member in value(at: index).split(separator: 0x2C, omittingEmptySubsequences: false) {
        guard let number = member.trimmingOptionalWhitespace.decimalNumber,
          length == nil || length == number
        else { return nil }
        length = number
      }
      start = index + 1
    }
    return length
  }
}

extension ArraySlice<UInt8> {
  /// nil for anything but digits, and for more than `Int64` holds.
  fileprivate var decimalNumber: Int64? {
    guard !isEmpty else { return nil }
    var number: Int64 = 0
    for digit in self {
      guard digit.isDigit else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int64(digit - 0x30))
      if overflow || carry { return nil }
      number = sum
    }
    return number
  }
}
