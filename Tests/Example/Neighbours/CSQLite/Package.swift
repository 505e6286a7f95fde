// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "CSQLite",
  products: [.library(name: "CSQLite", targets: ["CSQLite"])],
  targets: [.target(name: "CSQLite")]
)
