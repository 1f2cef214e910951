import Foundation
import Panes
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import natter

/// What the themes are called, as the page of themes and the settings tell it.
@Suite struct ThemeCatalogueTests {
  private let own: TemporaryFolder
  private let shipped: TemporaryFolder
  private let shelf: ThemeCatalogue

  init() throws {
    own = try TemporaryFolder("own")
    shipped = try TemporaryFolder("shipped")
    shelf = ThemeCatalogue(
      ThemeLibrary(directories: [own.root, shipped.root]), own: own.root)
    try shipped.write("name = \"Natter Night\"\n", to: "night.toml")
    try shipped.write("name = \"Day\"\nkind = \"light\"\n", to: "day.toml")
  }

  /// A shelf on a disk that keeps what was found until it is signalled.
  /// - Returns: and what tells of each reading whether the main thread does it.
  private func shelf(on disk: DispatchSemaphore) -> (ThemeCatalogue, AsyncStream<Bool>) {
    let (begun, begin) = AsyncStream<Bool>.makeStream()
    let shelf = ThemeCatalogue(
      ThemeLibrary(directories: [own.root, shipped.root]), own: own.root
    ) { library, own in
      let found = ThemeCatalogue.read(library, own: own)
      begin.yield(Thread.isMainThread)
      disk.wait()
      return found
    }
    return (shelf, begun)
  }

  @Test func `nobody waits for what is not read yet; then each is called as it calls itself`()
    async throws
  {
    #expect(shelf.states.isEmpty && shelf.names.isEmpty && shelf["night"]?.name == nil)
    await shelf.refresh()
    #expect(shelf.names == ["day", "night"])
    #expect(shelf.states.map(\.name) == ["Day", "Natter Night"])
    #expect(shelf.states.map(\.isForDay) == [true, false])
    #expect(shelf.states.allSatisfy { !$0.isOwn } && shelf["night"]?.name == "Natter Night")
  }

  @Test func `a theme that was made just now is there at once, as one's own`() async throws {
    await shelf.refresh()
    try own.write("name = \"Warm\"\ninherits = \"day\"\n", to: "warm.toml")
    shelf.refresh("warm")
    let warm = try #require(shelf.states.first { $0.id == "warm" })
    #expect(warm == ThemeState(id: "warm", name: "Warm", isForDay: true, isOwn: true))
    try FileManager.default.removeItem(at: own.url("warm.toml"))
    await shelf.refresh()
    #expect(shelf.states.map(\.id) == ["day", "night"] && shelf["warm"]?.name == nil)
  }

  @Test func `that there are other themes is told once they are read, and once only`() async throws
  {
    var told: [[String]] = []
    shelf.onNames = { [unowned shelf] in told.append(shelf.names) }
    await shelf.refresh()
    await shelf.refresh()
    #expect(told == [["day", "night"]])
    try own.write("inherits = \"day\"\n", to: "warm.toml")
    await shelf.refresh()
    #expect(told.last == ["day", "night", "warm"] && told.count == 2)
  }

  @Test func `a disk that keeps one waiting keeps nobody else, and what it says of before is old`()
    async throws
  {
    let disk = DispatchSemaphore(value: 0)
    let (shelf, begun) = shelf(on: disk)
    let reading = Task { await shelf.refresh() }
    // Here somebody goes on while it is read.
    for await isMain in begun {
      #expect(!isMain)
      break
    }
    #expect(shelf.states.isEmpty)
    try shipped.write("name = \"Renamed\"\n", to: "night.toml")
    shelf.refresh("night")
    #expect(shelf["night"]?.name == "Renamed")
    try own.write("inherits = \"day\"\n", to: "warm.toml")
    // It reads once more: what it has is of before.
    disk.signal()
    disk.signal()
    await reading.value
    #expect(shelf["night"]?.name == "Renamed")
    #expect(shelf.names == ["day", "night", "warm"])
  }

  @Test func `what comes while the files are read for somebody is found for who asks then`()
    async throws
  {
    let disk = DispatchSemaphore(value: 0)
    let (shelf, begun) = shelf(on: disk)
    let told = Observed<[String]>([])
    shelf.onNames = { [unowned shelf] in
      let names = shelf.names
      told.update { $0 = names }
    }
    shelf.refreshSoon()
    for await _ in begun { break }
    try own.write("inherits = \"day\"\n", to: "warm.toml")
    shelf.refreshSoon()
    disk.signal()
    disk.signal()
    #expect(await told.waits(upTo: .seconds(60)) { $0 == ["day", "night", "warm"] })
  }
}
