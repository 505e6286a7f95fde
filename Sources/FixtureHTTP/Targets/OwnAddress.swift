/// How clients name a server that they were pointed at by its address.
package enum OwnAddress {
  /// Whether a `Host` is such a name: an address, `localhost`, or none at all.
  /// - Parameter host: in lower case.
  package static func isNamed(by host: [UInt8]) -> Bool {
    let name = host.prefix { $0 != 0x3A }
    return host.isEmpty || host.first == 0x5B || name.elementsEqual("localhost".utf8)
      || name.allSatisfy { $0.isDigit || $0 == 0x2E }
  }
}
