/// How secrets lie in the value of a field, and so what stays of it.
package enum FieldPlace: Equatable, Sendable {
  /// `scheme credentials` (RFC 9110 §11.4): the scheme stays.
  case credentials
  /// `name=value; name=value` (RFC 6265 §4.2): the names stay.
  case cookies
  /// `name=value; attributes` (RFC 6265 §4.1): the name and the attributes stay.
  case setCookie
  /// A URI reference: userinfo and secret pairs of query and fragment go, everything else stays.
  case reference
  /// `<reference>; parameters, …` (RFC 8288 §3).
  case links
  /// `seconds; url=reference` (WHATWG HTML §4.2.5.3).
  case refresh
  /// The whole value.
  case whole

  /// Whether only parts of a reference are secret, so that a rule can still ask for the whole.
  package var isReference: Bool {
    switch self {
    case .reference, .links, .refresh: true
    case .credentials, .cookies, .setCookie, .whole: false
    }
  }
}
