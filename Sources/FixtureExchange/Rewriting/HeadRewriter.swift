import FixtureHTTP
import FixtureReplay

/// What changes in the head of a response on its way to a client of ours, on the wire only: links,
/// and cookies if that is asked for. The same in record and in replay.
package struct HeadRewriter: Equatable, Sendable {
  /// What leads a client away from our listeners, or does not come back to them.
  package enum Elsewhere: Equatable, Sendable {
    /// As `LinkRewriter` tells it.
    case link(origin: String)
    /// As `CookieRewriter` tells it.
    case cookie(reason: String)
  }

  package let links: LinkRewriter
  private let rewritesCookies: Bool

  package init(links: LinkRewriter, rewritesCookies: Bool) {
    self.links = links
    self.rewritesCookies = rewritesCookies
  }

  /// The same for clients that use these ports, in the order of the upstreams.
  package func at(_ ports: [UInt16]) -> HeadRewriter {
    let routes = zip(links.routes, ports).map { route, port in
      LinkRewriter.Route(upstream: route.upstream, port: port)
    }
    return HeadRewriter(
      links: LinkRewriter(routes: routes + links.routes.dropFirst(routes.count)),
      rewritesCookies: rewritesCookies)
  }

  /// The head as the client gets it; parameters as for `LinkRewriter`.
  package func rewrite(
    _ head: ResponseHead, current: Int, clientHost: ArraySlice<UInt8>?,
    elsewhere: (Elsewhere) -> Void = { _ in }
  ) -> ResponseHead {
    let linked = links.rewrite(head, current: current, clientHost: clientHost) {
      elsewhere(.link(origin: $0))
    }
    let upstream = links.routes.indices.contains(current) ? links.routes[current].upstream : nil
    return CookieRewriter.rewrite(linked, from: upstream, rewrites: rewritesCookies) {
      elsewhere(.cookie(reason: $0))
    }
  }

  /// The script with its heads rewritten, also those of interim responses, which may have links.
  package func rewrite(
    _ script: Script, current: Int, clientHost: ArraySlice<UInt8>?
  ) -> Script {
    var script = script
    for (index, step) in script.steps.enumerated() where mayChange(step.action) {
      switch step.action {
      case .head(let head):
        script.steps[index].action = .head(
          rewrite(head, current: current, clientHost: clientHost))
      case .interim(let head):
        script.steps[index].action = .interim(
          rewrite(head, current: current, clientHost: clientHost))
      case .headBeginning(let head):
        script.steps[index].action = .headBeginning(
          rewrite(head, current: current, clientHost: clientHost))
      case .headRest, .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers, .end,
        .close, .reset:
        break
      }
    }
    return script
  }

  /// Whether `rewrite` may change the script for some client.
  package func mayChange(_ script: Script) -> Bool {
    script.steps.contains { mayChange($0.action) }
  }

  private func mayChange(_ action: Action) -> Bool {
    switch action {
    case .head(let head), .headBeginning(let head), .interim(let head): mayChange(head)
    case .headRest, .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers, .end,
      .close, .reset:
      false
    }
  }

  private func mayChange(_ head: ResponseHead) -> Bool {
    links.mayChange(head) || rewritesCookies && head.fields.contains(.setCookie)
  }
}
