// swift-tools-version: 6.2
import PackageDescription

/// An app's package as a user of fixtured has one: the products come by path, and beside them
/// stand packages whose targets have names that SwiftPM could confuse with ours.
let package = Package(
  name: "Example",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "fixtured", path: "../.."),
    .package(path: "Neighbours/CSystem"),
    .package(path: "Neighbours/CSQLite"),
    .package(path: "Neighbours/Replay"),
  ],
  targets: [
    .target(
      name: "Feed",
      dependencies: [
        .product(name: "CSystem", package: "CSystem"),
        .product(name: "CSQLite", package: "CSQLite"),
        .product(name: "Replay", package: "Replay"),
      ]),
    .testTarget(
      name: "FeedTests",
      dependencies: ["Feed", .product(name: "FixtureTesting", package: "fixtured")],
      exclude: ["Cassettes"]),
    .testTarget(
      name: "FailingTests",
      dependencies: [.product(name: "FixtureTesting", package: "fixtured")]),
  ]
)
