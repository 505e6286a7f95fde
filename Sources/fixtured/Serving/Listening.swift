import FixtureServing

/// The lines on standard output that say a server is ready; tests wait for them.
enum Listening {
  /// One whole line each: `listening on http://127.0.0.1:8377`, with the upstream's name behind it
  /// when it has one.
  ///
  /// - Parameter control: of the control API, in a line of its own: `control on http://…`.
  static func announce(_ listeners: [ListenerAddress], control: ListenerAddress? = nil) {
    for listener in listeners {
      let name = listener.name.map { " \($0)" } ?? ""
      _ = Output.print("listening on \(listener.url)\(name)\n")
    }
    if let control { _ = Output.print("control on \(control.url)\n") }
  }
}
