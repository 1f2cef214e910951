import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

@Suite struct PlacePickersTests {
  private final class Lists { var all: [PaletteViewModel] = [] }
  private let lists = Lists()
  private let mediator = Mediator()

  private static func text(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Resources/places")
    return try String(contentsOf: root.appending(path: name), encoding: .utf8)
  }

  private static func table() throws -> PlaceTable {
    PlaceTable(countries: try text("countries.tsv"), cities: try text("cities.tsv"))
  }

  private func publish(_ localizer: Localizer) throws {
    let table = try Self.table()
    let lists = lists
    PlacePickers(localizer: localizer, table: { table }, show: { lists.all.append($0) })
      .publish(to: mediator)
  }

  private func pick(_ typed: String) {
    guard let list = lists.all.last else { return }
    list.onRun = { $0.run() }
    list.edit(typed, cursor: typed.count)
    _ = list.run()
  }

  @Test func `the table that is shipped has every country, in each language`() throws {
    let table = try Self.table()
    #expect(table.countries.count > 240)
    #expect(Set(table.countries.map(\.code)).count == table.countries.count)
    let france = try #require(table.country(called: "法国"))
    #expect(france == table.country(called: "fr"))
    #expect(table.name(of: france, in: "zh-Hans") == "法国")
    let china = try #require(table.country(called: "Chine"))
    let chinese = table.cities(of: china)
    #expect(chinese.count > 200 && chinese.allSatisfy { $0.code == "CN" })
    for (french, own) in [("Ürümqi", "乌鲁木齐"), ("Nankin", "南京")] {
      #expect(chinese.contains { $0.names[1] == french && $0.names[2] == own }, "\(french)")
    }
    #expect(table.country(called: "Atlantis") == nil)
    #expect(table.country(called: " ") == nil)
    let codes = Set(table.countries.map(\.code))
    for country in table.countries { #expect(country.names.allSatisfy { !$0.isEmpty }) }
    for line in try Self.text("cities.tsv").split(separator: "\n")
    where !line.hasPrefix("#") {
      let parts = line.split(separator: "\t")
      #expect(parts.count == 4 && codes.contains(String(parts[0])), "\(line)")
    }
  }

  @Test func `a broken table is an empty one`() {
    let table = PlaceTable(countries: "", cities: "x\ty\n# code\ten\nFR\n\tParis\nFR\ta\tb\n")
    #expect(table.countries.isEmpty)
  }

  @Test func `a country is found in any language, and answered in one's own`() throws {
    try publish(Localizer(tag: "fr", texts: try texts(of: "fr")))
    var answers: [String] = []
    try mediator.ask("places/country") { answers.append($0) }
    #expect(lists.all[0].title == "Pays" && lists.all[0].items.count > 240)
    pick("germany")
    #expect(answers == ["Allemagne"])
    try mediator.ask("places/country", ["selected": "Allemagne"]) { answers.append($0) }
    #expect(lists.all[1].items.first?.title == "Allemagne")
    pick("法国")
    #expect(answers.last == "France")
  }

  @Test func `the cities are those of the country, whatever it is called`() throws {
    try publish(english())
    var answers: [String] = []
    try mediator.ask("places/city", ["country": "Brésil"]) { answers.append($0) }
    #expect(lists.all[0].title == "City in Brazil")
    #expect(lists.all[0].items.contains { $0.title == "São Paulo" || $0.title == "Sao Paulo" })
    #expect(!lists.all[0].items.contains { $0.title == "Paris" })
    pick("manaus")
    #expect(answers == ["Manaus"])
  }

  @Test func `text in the field that is no country is looked for`() throws {
    try publish(english())
    try mediator.ask("places/country", ["selected": "fra"]) { _ in }
    #expect(lists.all[0].query == "fra" && lists.all[0].cursor == 3)
    #expect(lists.all[0].items.first?.title == "France")
  }

  @Test func `what is in no list is taken as typed`() throws {
    try publish(english())
    var answers: [String] = []
    try mediator.ask("places/city", ["country": "France"]) { answers.append($0) }
    lists.all[0].edit("Trifouillis", cursor: 11)
    #expect(lists.all[0].items.map(\.title) == ["As typed: Trifouillis"])
    pick("Trifouillis")
    try mediator.ask("places/city", ["country": "Atlantis"]) { answers.append($0) }
    #expect(lists.all[1].title == "City" && lists.all[1].items.isEmpty)
    #expect(lists.all[1].emptyText == "Not in the list: type it.")
    pick("#1 Poseidonis")
    #expect(answers == ["Trifouillis", "#1 Poseidonis"])
  }

  @Test(arguments: ["lyo", "Lyon", "里昂"])
  func `a city that is no time zone's is found in each script`(typed: String) throws {
    try publish(Localizer(tag: "zh-Hans", texts: try texts(of: "zh-Hans")))
    var answers: [String] = []
    try mediator.ask("places/city", ["country": "法国"]) { answers.append($0) }
    #expect(lists.all[0].items.count > 200)
    pick(typed)
    #expect(answers == ["里昂"])
  }

  @Test func `an inquiry that is not there, or asked in a wrong way, is reported`() throws {
    try publish(english())
    func problem(_ name: String, _ parameters: [String: String] = [:]) -> String? {
      do {
        try mediator.ask(name, parameters) { _ in }
        return nil
      } catch { return (error as? NatterError)?.key }
    }
    #expect(problem("places/street") == "error.unknownAction")
    #expect(problem("stars/planet") == "error.unknownModule")
    #expect(problem("places/city", ["planet": "Mars"]) == "error.unknownParameter")
  }
}
