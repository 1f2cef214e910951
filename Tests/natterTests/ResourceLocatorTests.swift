import Foundation
import Testing

@testable import natter

@Suite final class ResourceLocatorTests {
  let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: root) }

  private func make(_ path: String, _ folders: [String] = ["locales/en", "themes"]) throws -> URL {
    let url = root.appending(path: path)
    for folder in folders {
      try FileManager.default.createDirectory(
        at: url.appending(path: folder), withIntermediateDirectories: true)
    }
    if folders.contains("themes") {
      try Data().write(to: url.appending(path: "themes/night.toml"))
    }
    return url
  }

  @Test func `an installed program looks in share beside bin`() throws {
    let share = try make("usr/share/natter")
    let found = try ResourceLocator.directory(
      environment: [:], executable: root.appending(path: "usr/bin/natter"))
    #expect(found.path == share.path)
  }

  @Test func `a program in a build folder uses the checkout's`() throws {
    let resources = try make("checkout/Resources")
    let found = try ResourceLocator.directory(
      environment: [:],
      executable: root.appending(path: "checkout/.build/x86_64-unknown-linux-gnu/debug/natter"))
    #expect(found.path == resources.path)
  }

  @Test(arguments: ["locales/en", "themes"])
  func `a place that lacks the themes or the languages is none, and is named`(
    folder: String
  ) throws {
    let half = try make("usr/share/natter", [folder])
    let executable = root.appending(path: "usr/bin/natter")
    #expect(throws: MissingResources(places: [half.path])) {
      _ = try ResourceLocator.directory(environment: [:], executable: executable)
    }
    #expect(throws: MissingResources(places: [half.path])) {
      _ = try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": half.path], executable: executable)
    }
  }

  @Test func `a program in the uppermost folder looks in share there`() {
    #expect(throws: MissingResources(places: ["/share/natter"])) {
      _ = try ResourceLocator.directory(
        environment: [:], executable: URL(filePath: "/no-such-program"))
    }
    #expect(throws: MissingResources(places: ["/share/natter", "/Resources"])) {
      _ = try ResourceLocator.directory(
        environment: [:], executable: URL(filePath: "/.build/no-such-program"))
    }
  }

  @Test func `the variable wins, and a wrong one is an error that names the place`() throws {
    _ = try make("usr/share/natter")
    let own = try make("own")
    let executable = root.appending(path: "usr/bin/natter")
    #expect(
      try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": own.path], executable: executable
      ).path == own.path)
    #expect(throws: MissingResources(places: ["/nowhere"])) {
      _ = try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": "/nowhere"], executable: executable)
    }
  }
}
