import Foundation

/// What the example's server publishes.
public struct Feed: Codable, Equatable, Sendable {
  public struct Item: Codable, Equatable, Sendable {
    public let id: Int
    public let title: String

    public init(id: Int, title: String) {
      self.id = id
      self.title = title
    }
  }

  public let items: [Item]
}
