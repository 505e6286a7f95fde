/// Where the planner gets whole interactions from: a reader of a file, or values in memory.
package protocol InteractionSource {
  associatedtype Failure: Error

  /// The interaction with this id, which an `InteractionSummary` of the same source named.
  func interaction(id: Int64) throws(Failure) -> Interaction
}
