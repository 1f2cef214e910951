import Foundation
import NatterCore
import Testing
import XMPP

@testable import natter

@Suite struct PrintedFilesTests {
  private let bob = JID(local: "bob", domain: "example.org")

  private func message(_ id: Int) -> Message {
    Message(
      id: .init(Int64(id)), conversation: bob, sender: bob, direction: .incoming,
      body: String(repeating: "x", count: 1000), sentAt: Date(timeIntervalSince1970: 0),
      originID: "o\(id)", file: SharedFile(address: "https://a.example/\(id)"))
  }

  @Test func `a file keeps its number, and of the oldest nothing is kept`() {
    var files = PrintedFiles()
    let count = PrintedFiles.limit + 10
    for id in 1...count { #expect(files.number(of: message(id)) == id) }
    #expect(files.number(of: message(count)) == count)
    for number in [Int.min, -1, 0, 1, 10, count + 1, Int.max] { #expect(files[number] == nil) }
    for number in [11, 500, count] {
      #expect(files[number]?.file?.address == "https://a.example/\(number)")
      #expect(files[number]?.originID == "o\(number)" && files[number]?.body == "")
    }
    // One that is printed once more after that has another number.
    #expect(files.number(of: message(3)) == count + 1)
  }
}
