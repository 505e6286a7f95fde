/// Where the planner gets recordings from: a reader of a file, or values in memory.
package protocol InteractionSource {
  associatedtype Failure: Error

  /// The interaction with this id, which an `InteractionSummary` of the same source named.
  func interaction(id: Int64) throws(Failure) -> Interaction

  /// Hands out what matching needs of these interactions.
  /// - Parameter ids: ascending; the rows come in this order.
  func forEachRequest(of ids: [Int64], _ body: (RequestRow) -> Void) throws(Failure)

  /// Hands out whole bodies, each with its id.
  /// - Parameter bodies: ids, ascending and without repeats; the bodies come in this order. One
  ///   whose bytes can't be had is left out.
  func forEachContent(
    of bodies: [Int64], _ body: (Int64, UnsafeRawBufferPointer) -> Void
  ) throws(Failure)
}
