import NatterCore
import Testing

@testable import ViewModels

@Suite struct ResourceAddressTests {
  @Test func `a natter address has a path and parameters`() throws {
    let address = try #require(ResourceAddress("natter://rooms/join?jid=a%40b.c&nick=M%C3%BC"))
    #expect(address.scheme == .natter)
    #expect(address.path == "rooms/join")
    #expect(address.parameters == ["jid": "a@b.c", "nick": "Mü"])
  }

  @Test func `the query of an xmpp address is read by RFC 5122`() throws {
    let address = try #require(ResourceAddress("xmpp:a@b.c?message;body=hi%20you;subject=x"))
    #expect((address.path, address.query) == ("a@b.c", "message"))
    #expect(address.parameters["body"] == "hi you")
    #expect(ResourceAddress("XMPP:a@b.c")?.path == "a@b.c")
    let named = try #require(ResourceAddress("xmpp://me%2Btoo@here/a@b.c?join"))
    #expect((named.path, named.account) == ("a@b.c", "me+too@here") && address.account == nil)
    #expect(ResourceAddress("xmpp:///a@b.c")?.account == nil)
    #expect(ResourceAddress("xmpp:a@b.c/phone#x")?.path == "a@b.c/phone")
  }

  @Test(arguments: [
    "", "http://a.b", "xmpp:", "natter:", "natter:chats/open", "xmpp:a%4", "xmpp:a%ZZ@b",
    "xmpp:a@b?message;body=%1B]0;x%07", "xmpp:a@b?message;body=%FF", "xmpp://only",
  ])
  func `what is none, or hides control characters, is refused`(_ text: String) {
    #expect(ResourceAddress(text) == nil)
  }
}

@Suite struct MediatorTests {
  private let mediator = Mediator()
  private final class Calls { var all: [String] = [] }
  private let calls = Calls()

  init() {
    for name in ["chats/open", "rooms/join", "contacts/add", "contacts/remove"] {
      mediator.publish(
        Mediator.Action(
          name, required: ["jid"], optional: ["body", "name", "group", "nick", "password"]
        ) {
          [calls] in
          let given = $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
          calls.all.append(([name] + given).joined(separator: " "))
        })
    }
    mediator.publish(
      Mediator.Action("rooms/invite", required: ["room", "jid"]) { [calls] in
        calls.all.append("invite \($0["jid"] ?? "") \($0["room"] ?? "")")
      })
    mediator.publish(
      Mediator.Action("discover/node", required: ["jid", "node"], optional: ["request"]) {
        [calls] in
        calls.all.append("\($0["request"] ?? "-") \($0["jid"] ?? "") \($0["node"] ?? "")")
      })
  }

  private func problem(_ uri: String) -> String? {
    do {
      try mediator.open(uri)
      return nil
    } catch let error as NatterError {
      return error.key
    } catch {
      return "\(error)"
    }
  }

  @Test func `what a foreign address asks for is done once the user agrees`() throws {
    var (asked, done): ([String], [String]) = ([], [])
    var goOn: () throws -> Void = {}
    mediator.publish(
      Mediator.Action(
        "settings/theme", required: ["name"],
        ask: {
          asked.append($0["name"] ?? "")
          goOn = $1
          return $0["name"] != "harmless"
        }
      ) { done.append($0["name"] ?? "") })
    try mediator.open("natter://settings/theme?name=day")
    #expect(asked == [] && done == ["day"])
    try mediator.open("natter://settings/theme?name=dracula", isForeign: true)
    #expect(asked == ["dracula"] && done == ["day"])
    try goOn()
    #expect(done == ["day", "dracula"])
    try mediator.open("natter://settings/theme?name=harmless", isForeign: true)
    #expect(done.last == "harmless")
    // Which account it is for changes nothing about who wrote it.
    mediator.elsewhere = { _, _, isForeign in
      asked.append("\(isForeign)")
      return true
    }
    try mediator.open("xmpp://me@x/tea@rooms.x?join", isForeign: true)
    #expect(asked.last == "true")
  }

  @Test func `an address that names an account is opened in that one`() throws {
    var asked: [String] = []
    mediator.elsewhere = { account, address, _ in
      asked.append("\(account) \(address)")
      if account == "x@y" { throw NatterError(.invalidInput, "error.notAnAccount") }
      return account != "me@here"
    }
    let text = "xmpp://other@here/a@b.c?message;body=x"
    try mediator.open(text)
    #expect(asked == ["other@here \(text)"] && calls.all.isEmpty)
    #expect(throws: NatterError.self) { try mediator.open("xmpp://x@y/a@b.c") }
    #expect(calls.all.isEmpty)
    try mediator.open("xmpp://me@here/a@b.c")
    try mediator.open("xmpp:a@b.c")
    #expect(calls.all.count == 2 && asked.count == 3)
  }

  @Test(arguments: [
    ("xmpp:a@b", "chats/open jid=a@b"),
    ("xmpp:a@b?message;body=x", "chats/open body=x jid=a@b"),
    ("xmpp:r@b?join;password=p", "rooms/join jid=r@b password=p"),
    ("xmpp:r@b?join;nick=Al;password=p", "rooms/join jid=r@b nick=Al password=p"),
    ("xmpp:a@b?roster;name=Al;group=G", "contacts/add group=G jid=a@b name=Al"),
    ("xmpp:a@b?message;subject=s;body=x & y", "chats/open body=x & y jid=a@b"),
    ("xmpp:r@b?join&nick=Al", "rooms/join jid=r@b nick=Al"),
    ("xmpp:a@b?subscribe", "contacts/add jid=a@b"),
    ("xmpp:a@b?remove", "contacts/remove jid=a@b"),
    ("xmpp:r@b?invite;jid=a@b", "invite a@b r@b"),
    ("natter://chats/open?jid=a@b", "chats/open jid=a@b"),
    ("xmpp:a@b?disco;node=x%2Fy;request=items;type=get", "items a@b x/y"),
    ("xmpp:a@b?disco;node=x", "- a@b x"),
  ])
  func `an address runs the action that is published for it`(_ uri: String, _ call: String) {
    #expect(problem(uri) == nil)
    #expect(calls.all == [call])
  }

  @Test(arguments: [
    ("natter://nowhere/open", "error.unknownModule"),
    ("natter://chats/paint?jid=a", "error.unknownAction"),
    ("natter://chats/open", "error.missingParameter"),
    ("natter://chats/open?jid=a&colour=red", "error.unknownParameter"),
    ("xmpp:a@b?paint", "error.unknownAction"),
    ("xmpp:a@b?message;colour=red", "error.unknownParameter"),
    ("xmpp:a@b?roster;body=x", "error.unknownParameter"),
    ("xmpp:r@b?join;jid=x", "error.unknownParameter"),
    ("xmpp:a@b?remove;name=x", "error.unknownParameter"),
    ("xmpp:a@b?register", "error.unknownModule"), ("xmpp:a@b?pubsub;node=x", "error.unknownAction"),
    ("xmpp:a@b?disco;request=info;type=get", "error.unknownAction"),
    ("xmpp:a@b?disco;request=zap", "error.unknownValue"),
    ("xmpp:a@b?disco;request=items;type=set", "error.unknownValue"),
    ("mailto:a@b", "error.badURI"),
  ])
  func `an action that was not published is reported, and nothing is done`(
    _ uri: String, _ key: String
  ) {
    #expect(problem(uri) == key)
    #expect(calls.all.isEmpty)
  }
}
