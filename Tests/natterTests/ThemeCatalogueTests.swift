import Foundation
import Panes
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import natter

/// The names of the themes, on the page of themes and in the settings.
@Suite struct ThemeCatalogueTests {
  private let own: TemporaryFolder
  private let shipped: TemporaryFolder
  private let catalogue: ThemeCatalogue

  init() throws {
    own = try TemporaryFolder("own")
    shipped = try TemporaryFolder("shipped")
    catalogue = ThemeCatalogue(
      ThemeLibrary(directories: [own.root, shipped.root]), own: own.root)
    try shipped.write("name = \"Natter Night\"\n", to: "night.toml")
    try shipped.write("name = \"Day\"\nkind = \"light\"\n", to: "day.toml")
  }

  /// A catalogue on a disk that keeps the result until it is signalled.
  /// - Returns: also a value that shows for each reading whether the main thread does it.
  private func catalogue(on disk: DispatchSemaphore) -> (ThemeCatalogue, AsyncStream<Bool>) {
    let (begun, begin) = AsyncStream<Bool>.makeStream()
    let catalogue = ThemeCatalogue(
      ThemeLibrary(directories: [own.root, shipped.root]), own: own.root
    ) { library, own in
      let found = ThemeCatalogue.read(library, own: own)
      begin.yield(Thread.isMainThread)
      disk.wait()
      return found
    }
    return (catalogue, begun)
  }

  @Test func `no caller waits for what is not read yet; then each is called as it calls itself`()
    async throws
  {
    #expect(catalogue.states.isEmpty && catalogue.names.isEmpty && catalogue["night"]?.name == nil)
    await catalogue.refresh()
    #expect(catalogue.names == ["day", "night"])
    #expect(catalogue.states.map(\.name) == ["Day", "Natter Night"])
    #expect(catalogue.states.map(\.isForDay) == [true, false])
    #expect(catalogue.states.allSatisfy { !$0.isOwn } && catalogue["night"]?.name == "Natter Night")
  }

  @Test func `a theme that was made just now is there at once, as one's own`() async throws {
    await catalogue.refresh()
    try own.write("name = \"Warm\"\ninherits = \"day\"\n", to: "warm.toml")
    catalogue.refresh("warm")
    let warm = try #require(catalogue.states.first { $0.id == "warm" })
    #expect(warm == ThemeState(id: "warm", name: "Warm", isForDay: true, isOwn: true))
    try FileManager.default.removeItem(at: own.url("warm.toml"))
    await catalogue.refresh()
    #expect(catalogue.states.map(\.id) == ["day", "night"] && catalogue["warm"]?.name == nil)
  }

  @Test func `that there are other themes is reported once they are read, and once only`()
    async throws
  {
    var reported: [[String]] = []
    catalogue.onNames = { [unowned catalogue] in reported.append(catalogue.names) }
    await catalogue.refresh()
    await catalogue.refresh()
    #expect(reported == [["day", "night"]])
    try own.write("inherits = \"day\"\n", to: "warm.toml")
    await catalogue.refresh()
    #expect(reported.last == ["day", "night", "warm"] && reported.count == 2)
  }

  @Test func `a slow disk keeps no one else waiting, and its late answers count as outdated`()
    async throws
  {
    let disk = DispatchSemaphore(value: 0)
    let (catalogue, begun) = catalogue(on: disk)
    let reading = Task { await catalogue.refresh() }
    // Here somebody goes on while it is read.
    for await isMain in begun {
      #expect(!isMain)
      break
    }
    #expect(catalogue.states.isEmpty)
    try shipped.write("name = \"Renamed\"\n", to: "night.toml")
    catalogue.refresh("night")
    #expect(catalogue["night"]?.name == "Renamed")
    try own.write("inherits = \"day\"\n", to: "warm.toml")
    // It reads once more: what it has is of before.
    disk.signal()
    disk.signal()
    await reading.value
    #expect(catalogue["night"]?.name == "Renamed")
    #expect(catalogue.names == ["day", "night", "warm"])
  }

  @Test func `what comes while the files are read is found for the next request`()
    async throws
  {
    let disk = DispatchSemaphore(value: 0)
    let (catalogue, begun) = catalogue(on: disk)
    let reported = Observed<[String]>([])
    catalogue.onNames = { [unowned catalogue] in
      let names = catalogue.names
      reported.update { $0 = names }
    }
    catalogue.refreshSoon()
    for await _ in begun { break }
    try own.write("inherits = \"day\"\n", to: "warm.toml")
    catalogue.refreshSoon()
    disk.signal()
    disk.signal()
    #expect(await reported.waits(upTo: .seconds(60)) { $0 == ["day", "night", "warm"] })
  }
}
