/// Where the planner gets recordings from: a reader of a file, or values in memory.
package protocol InteractionSource {
  associatedtype Failure: Error

  /// The interaction with this id, which an `InteractionSummary` of the same source named.
  func interaction(id: Int64) throws(Failure) -> Interaction

  /// The same, when it is known already what the request's body is.
  func interaction(id: Int64, requestBody: BodyReference) throws(Failure) -> Interaction

  /// Hands out an outline of every request, and makes something of it, in several parts at the same
  /// time where that is faster.
  /// - Returns: the parts, each of which began as `initial`, in the order of their interactions.
  func foldRequests<Part: Sendable>(
    from initial: Part, _ add: @escaping @Sendable (inout Part, RequestOutline) -> Void
  ) throws(Failure) -> [Part]

  /// Hands out what matching needs of these interactions.
  /// - Parameter ids: ascending; the rows come in this order.
  func forEachRequest(of ids: [Int64], _ body: (RequestRow) -> Void) throws(Failure)

  /// Reads whole bodies and makes something of them, in several parts at the same time where that
  /// is faster.
  /// - Parameters:
  ///   - bodies: with ascending ids, without repeats. One whose bytes can't be had is left out.
  ///   - add: takes the bytes of the body at a place in `bodies` into a part.
  /// - Returns: the parts, each of which began as `initial`; their places ascend.
  func foldContents<Part: Sendable>(
    _ bodies: [StoredContent], from initial: Part,
    _ add: @escaping @Sendable (inout Part, _ place: Int, UnsafeRawBufferPointer) -> Void
  ) throws(Failure) -> [Part]
}

/// A stored body to be read whole.
package struct StoredContent: Equatable, Sendable {
  /// Its row in the cassette.
  package let id: Int64
  package let size: Int64

  package init(id: Int64, size: Int64) {
    self.id = id
    self.size = size
  }
}

extension InteractionSource {
  package func interaction(
    id: Int64, requestBody: BodyReference
  ) throws(Failure) -> Interaction {
    try interaction(id: id)
  }

  /// The bytes of one body; nil when they can't be had.
  package func content(_ body: StoredContent) throws(Failure) -> [UInt8]? {
    try foldContents([body], from: [UInt8]?.none) { $0 = Array($2) }.first ?? nil
  }
}
