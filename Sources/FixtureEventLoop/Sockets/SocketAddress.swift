import Glibc

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Hashable, Sendable {
  private enum Host: Hashable, Sendable {
    case v4(UInt32)
    case v6(UInt64, UInt64, scope: UInt32)
  }

  // The words hold the address in network order, as it lies in memory.
  private let address: Host
  package let port: UInt16

  /// Recognises an address literal: IPv4 in dotted decimal, IPv6 without brackets. No name is
  /// looked up; nil when `host` isn't a literal.
  package init?(literal host: String, port: UInt16) {
    // A NUL would end the text early for inet_pton.
    guard !host.utf8.contains(0) else { return nil }
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, host, &v4) == 1 {
      address = .v4(v4.s_addr)
    } else if inet_pton(AF_INET6, host, &v6) == 1 {
      address = Self.host(v6, scope: 0)
    } else {
      return nil
    }
    self.port = port
  }

  /// - Returns: nil for families other than IPv4 and IPv6.
  init?(_ storage: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(storage)
    switch Int32(storage.pointee.sa_family) {
    case AF_INET:
      let v4 = raw.loadUnaligned(as: sockaddr_in.self)
      address = .v4(v4.sin_addr.s_addr)
      port = UInt16(bigEndian: v4.sin_port)
    case AF_INET6:
      let v6 = raw.loadUnaligned(as: sockaddr_in6.self)
      address = Self.host(v6.sin6_addr, scope: v6.sin6_scope_id)
      port = UInt16(bigEndian: v6.sin6_port)
    default:
      return nil
    }
  }

  /// The address a call such as getsockname fills in; nil when it fails.
  static func filled(by call: (UnsafeMutablePointer<sockaddr>) -> Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        call(address) < 0 ? nil : SocketAddress(address)
      }
    }
  }

  private static func host(_ v6: in6_addr, scope: UInt32) -> Host {
    withUnsafeBytes(of: v6) { bytes in
      .v6(
        bytes.loadUnaligned(as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self), scope: scope)
    }
  }

  var family: Int32 {
    switch address {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// Whether only this machine is reached by it: 127.0.0.0/8, ::1, and the former mapped to IPv6.
  package var isLoopback: Bool {
    switch address {
    case .v4(let word):
      return UInt32(bigEndian: word) >> 24 == 127
    case .v6(let high, let low, _):
      let low = UInt64(bigEndian: low)
      return high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
    }
  }

  /// Whether a listener bound to this address accepts a connection that was made from this machine
  /// between two addresses.
  func isReached(by peer: SocketAddress, from local: SocketAddress) -> Bool {
    guard port == peer.port else { return false }
    let isHere = peer.isLoopback || peer.unmapped == local.unmapped
    switch (unmapped, peer.unmapped) {
    case (.v4(0), .v4), (.v6(0, 0, _), _): return isHere
    case (let bound, let reached): return bound == reached
    }
  }

  /// An IPv4 address that was mapped to IPv6 as what it is.
  private var unmapped: Host {
    guard case .v6(0, let low, _) = address, UInt64(bigEndian: low) >> 32 == 0xFFFF else {
      return address
    }
    return .v4(UInt32(truncatingIfNeeded: UInt64(bigEndian: low)).bigEndian)
  }

  /// The address without its port, as text: `127.0.0.1`, `::1`.
  package var host: String {
    withSockaddr { address, length in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
        let result = getnameinfo(
          address, length, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        precondition(result == 0, "getnameinfo of a numeric address failed: \(result)")
        return String(cString: text.baseAddress!)
      }
    }
  }

  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch address {
    case .v4(let word):
      var v4 = sockaddr_in()
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = port.bigEndian
      v4.sin_addr.s_addr = word
      return Self.rebound(&v4, body)
    case .v6(let high, let low, let scope):
      var v6 = sockaddr_in6()
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = port.bigEndian
      v6.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &v6.sin6_addr) { bytes in
        bytes.storeBytes(of: high, as: UInt64.self)
        bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
      }
      return Self.rebound(&v6, body)
    }
  }

  private static func rebound<Address, Result>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// `127.0.0.1:8377`, `[::1]:8377`
  package var description: String {
    switch address {
    case .v4: "\(host):\(port)"
    case .v6: "[\(host)]:\(port)"
    }
  }
}
