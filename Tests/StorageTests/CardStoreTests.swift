import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct CardStoreTests {
  private let romeo = JID(local: "romeo", domain: "example.org")

  @Test func `a card is kept as it is, and another one replaces it`() async throws {
    let cards = try await AccountDatabase.inMemory().cards
    #expect(try await cards.card(of: romeo) == nil)
    let readAt = Date(timeIntervalSince1970: 1000)
    var card = PersonCard([.city: "Verona", .note: "an only son"])
    try await cards.save(StoredCard(card: card, readAt: readAt), of: romeo)
    card[.note] = ""
    card[.city] = "Mantua"
    let later = StoredCard(card: card, readAt: readAt.addingTimeInterval(60))
    try await cards.save(later, of: romeo.with(resource: "orchard") ?? romeo)
    #expect(try await cards.card(of: romeo) == later)
    #expect(try await cards.card(of: JID(local: "paris", domain: "example.org")) == nil)
  }

  @Test func `a card that was stored since the question stays`() async throws {
    let cards = try await AccountDatabase.inMemory().cards
    func card(_ city: String, at seconds: Double) -> StoredCard {
      StoredCard(
        card: PersonCard([.city: city]),
        readAt: Date(timeIntervalSince1970: 1_795_183_200.123456 + seconds))
    }
    try await cards.save(card("Verona", at: 0), of: romeo, replacing: nil)
    let known = try #require(try await cards.card(of: romeo))
    try await cards.save(card("Mantua", at: 1), of: romeo, replacing: nil)
    #expect(try await cards.card(of: romeo) == known)
    try await cards.save(card("Mantua", at: 2), of: romeo, replacing: known)
    try await cards.save(card("Venice", at: 3), of: romeo, replacing: known)
    #expect(try await cards.card(of: romeo)?.card == PersonCard([.city: "Mantua"]))
  }

  @Test func `a contact with an empty card was asked all the same`() async throws {
    let cards = try await AccountDatabase.inMemory().cards
    let nothing = StoredCard(card: PersonCard(), readAt: Date(timeIntervalSince1970: 5))
    try await cards.save(nothing, of: romeo)
    #expect(try await cards.card(of: romeo) == nothing)
  }

  @Test func `what a file of schema 1 held is there`() async throws {
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(1, in: scratch)
    let cards = try await AccountDatabase.open(at: path).cards
    let juliet = try #require(try await cards.card(of: JID(local: "juliet", domain: "example.org")))
    #expect(juliet.card[.city] == "Verona")
  }
}
