import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct CardStoreTests {
  private let romeo = JID(local: "romeo", domain: "example.org")

  @Test func `a card is kept as it is, and another one takes its place`() async throws {
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

  @Test func `who has nothing to tell was asked all the same`() async throws {
    let cards = try await AccountDatabase.inMemory().cards
    let nothing = StoredCard(card: PersonCard(), readAt: Date(timeIntervalSince1970: 5))
    try await cards.save(nothing, of: romeo)
    #expect(try await cards.card(of: romeo) == nothing)
  }

  @Test func `changes are kept until they are settled, the last of a field counting`() async throws
  {
    let cards = try await AccountDatabase.inMemory().cards
    try await cards.keepCardChange("Verona", of: .city)
    try await cards.keepCardChange("", of: .city)
    try await cards.keepCardChange("Italy", of: .country)
    #expect(try await cards.cardChanges() == [.city: "", .country: "Italy"])
    try await cards.keepCardChange(nil, of: .city)
    #expect(try await cards.cardChanges() == [.country: "Italy"])
  }

  @Test func `a picture and a choice that wait come back, each forgotten by itself`() async throws {
    let cards = try await AccountDatabase.inMemory().cards
    #expect(try await cards.pendingProfileChanges() == PendingProfileChanges())
    let picture = OwnPicture(
      id: "ab", base64: "AAAA", mediaType: "image/png", byteCount: 3, width: nil, height: 7)
    var changes = PendingProfileChanges(picture: .show(picture), visibility: .owner)
    try await cards.keep(changes)
    #expect(try await cards.pendingProfileChanges() == changes)
    changes = PendingProfileChanges(picture: .hide)
    try await cards.keep(changes)
    #expect(try await cards.pendingProfileChanges() == changes)
    try await cards.keep(PendingProfileChanges())
    #expect(try await cards.pendingProfileChanges() == PendingProfileChanges())
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(1, in: scratch)
    #expect(
      try await AccountDatabase.open(at: path).cards.pendingProfileChanges()
        == PendingProfileChanges(picture: .show(picture), visibility: .owner))
  }

  @Test func `what a file of schema 1 held is there`() async throws {
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(1, in: scratch)
    let cards = try await AccountDatabase.open(at: path).cards
    let juliet = try #require(try await cards.card(of: JID(local: "juliet", domain: "example.org")))
    #expect(juliet.card[.city] == "Verona")
  }
}
