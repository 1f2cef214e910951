import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Locations: read as typed, sent after a question, opened by a program or on a map.
@Suite struct LocationTests {
  private final class Shown {
    var questions: [ConfirmRequest] = []
    var links: [String] = []
    var opened: [String] = []
  }
  private let shown = Shown()

  private func shell(
    _ messages: [Message] = [message(1, "hi")], hasProgram: Bool = true,
    map: String = "https://map.example/?mlat={lat}&mlon={lon}", output: String? = nil
  ) async -> (shell: ShellViewModel, ports: FakePorts) {
    let ports = FakePorts(
      messages: messages, conversations: [Conversation(jid: .bob, lastActivity: .minutes(1))],
      contacts: [Contact(jid: .bob, name: "Bob", subscription: .both)])
    var actions = ShellActions.forTests()
    actions.confirm = { [shown] in shown.questions.append($0) }
    actions.links = LinkActions(
      open: { [shown] in shown.links.append($0) },
      openLocation: { [shown] address, onFailure in
        shown.opened.append(address)
        if !hasProgram { onFailure() }
      }, map: { map }, findLocation: { output })
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return (shell, ports)
  }

  @Test(arguments: [
    ("48.8566,2.3522", "geo:48.8566,2.3522"), ("48.8566, 2.3522", "geo:48.8566,2.3522"),
    ("-33.9 151.2 Opera House", "geo:-33.9,151.2\nOpera House"),
    ("+1.5,-2 East gate", "geo:1.5,-2\nEast gate"),
    ("48°51'24\"N 2°21'8\"E", "geo:48.8566667,2.3522222"),
    ("48°51′24″ n, 2°21′8″ w  Café", "geo:48.8566667,-2.3522222\nCafé"),
    ("48°51'24\"N2°21'8\"E", "geo:48.8566667,2.3522222"),
    ("48° 51.4' N 2° 21.5' E here", "geo:48.8566667,2.3583333\nhere"),
    ("33.9S 18.4E", "geo:-33.9,18.4"), ("48°30',2°", "geo:48.5,2"),
    ("geo:1,2;u=30 Harbour", "geo:1,2;u=30\nHarbour"),
    (
      "https://www.openstreetmap.org/?mlat=48.85&mlon=2.35#map=15/1/2 there",
      "geo:48.85,2.35\nthere"
    ),
    ("https://www.openstreetmap.org/#map=15/48.85/-2.35", "geo:48.85,-2.35"),
    ("https://www.google.com/maps/place/X/@1,2,15z/data=!3d48.85!4d2.35", "geo:48.85,2.35"),
    ("https://maps.google.com/maps?q=48.85%2C2.35", "geo:48.85,2.35"),
    ("https://maps.apple.com/?ll=48.85,2.35&z=3", "geo:48.85,2.35"),
  ])
  func `locations are read in the usual forms`(typed: String, body: String) throws {
    #expect(try TypedLocation.read(typed).body == body)
  }

  @Test(arguments: [
    ("somewhere", "form"), ("48.8566", "form"), ("48.8566;2.3522", "form"), ("1e1,2", "form"),
    ("48,8566 2,3522", "form"), ("48,85 2,35", "form"), ("48°61'N 2°E", "form"), ("48N 2", "form"),
    ("2E 48N", "form"),
    ("-48N 2E", "form"), ("1.123456789012345678901,2", "form"), ("1,2x", "form"),
    ("91,2", "latitude"), ("-90.5 0", "latitude"), ("45,181", "longitude"),
    ("geo:91,2", "uri"), ("geo:1,2;crs=nad27", "system"), ("https://a.example/", "link"),
    ("https://a.example/?q=coffee", "link"), ("https://a.example/@91,2", "link"),
  ])
  func `what is wrong is said`(typed: String, kind: String) {
    #expect { try TypedLocation.read(typed) } throws: {
      ($0 as? NatterError)?.key == "error.location.\(kind)"
    }
  }

  @Test func `what a program prints is read, and nothing else`() throws {
    #expect(try TypedLocation.point(printed: "48.85 2.35 30\nmore").text == "geo:48.85,2.35;u=30")
    #expect(try TypedLocation.point(printed: " 48.85\t2.35 ").text == "geo:48.85,2.35")
    for text in ["", "48.85", "48.85 2.35 x", "1 2 3 4", "91 0", "48,85 2,35"] {
      #expect(throws: NatterError.self) { try TypedLocation.point(printed: text) }
    }
  }

  @Test func `a location is shown before it is sent`() async throws {
    let (shell, ports) = await shell()
    await shell.enter("/location 48.8566,2.3522 Café")
    #expect(!(await ports.calls).contains { $0.hasPrefix("send") })
    let question = try #require(shown.questions.first)
    #expect(question.textKey == "confirm.location")
    #expect(question.arguments["location"] == "+ 48.85660, 2.35220  Café")
    #expect(question.arguments["name"] == "Bob")
    question.onAccept()
    await shell.lifetime.settle()
    #expect(
      (await ports.calls).contains { $0.hasPrefix("send bob@example.net geo:48.8566,2.3522\nCafé") }
    )
  }

  @Test func `a mistake is said, and stays in the input`() async {
    let (shell, _) = await shell()
    await shell.enter("/location 91,2")
    #expect(shell.input.text == "/location 91,2" && shown.questions.isEmpty)
    #expect(shell.status.message.text.contains("latitude"))
  }

  @Test func `without coordinates the program is asked`() async throws {
    let (shell, _) = await shell(output: "48.85 2.35 30.2\n")
    await shell.enter("/location")
    let question = try #require(shown.questions.first)
    #expect(question.comesLate)
    #expect(question.arguments["location"] == "+ 48.85000, 2.35000 +- 31 m")
    let (other, _) = await self.shell()
    await other.enter("/location")
    #expect(shown.questions.count == 1)
    #expect(other.status.message.text.contains("location.command"))
  }

  @Test func `Enter and open give it to the program`() async {
    let (shell, _) = await shell([message(1, "geo:48.8566,2.3522;u=30\nCafé")])
    shell.openMessage()
    await shell.enter("/open")
    #expect(shown.opened == Array(repeating: "geo:48.8566,2.3522;u=30", count: 2))
    #expect(shown.questions.isEmpty && shown.links.isEmpty)
  }

  @Test func `without a program a map is opened, after a question`() async throws {
    let (shell, _) = await shell([message(1, "geo:48.8566,2.3522")], hasProgram: false)
    shell.openMessage()
    let question = try #require(shown.questions.first)
    #expect(question.textKey == "confirm.map" && question.arguments["host"] == "map.example")
    #expect(shown.links.isEmpty)
    question.onAccept()
    #expect(shown.links == ["https://map.example/?mlat=48.8566&mlon=2.3522"])
  }

  @Test(arguments: ["https://map.example/", "file:///{lat}/{lon}", "https:///{lat}{lon}"])
  func `an address that is no map is refused`(map: String) async {
    let (shell, _) = await shell([message(1, "geo:1,2")], hasProgram: false, map: map)
    shell.openMessage()
    #expect(shown.questions.isEmpty && shown.links.isEmpty)
    #expect(shell.status.message.text.contains("location.map"))
  }

  @Test func `a row shows coordinates, accuracy and description`() throws {
    let location = try #require(SharedLocation(body: "geo:48.8566,2.3522;u=30\nCafé"))
    let unicode = testFormat(glyphs: .unicode)
    #expect(unicode.text(of: location) == "⌖ 48.85660, 2.35220 ± 30 m  Café")
    #expect(testFormat(glyphs: .ascii).text(of: location) == "+ 48.85660, 2.35220 +- 30 m  Café")
    #expect(
      testFormat(glyphs: .linear).text(of: location)
        == "Location: 48.85660, 2.35220 +- 30 m  Café")
    let received = message(1, location.body)
    #expect(
      unicode.bodyText(of: received, by: "bob", now: .afternoon)
        == "⌖ 48.85660, 2.35220 ± 30 m  Café")
    #expect(unicode.text(of: received, by: "bob", now: .afternoon) == location.body)
    #expect(MessageUse.of(received, hasLinks: false, canWrite: false) == [.copy, .open])
  }
}
