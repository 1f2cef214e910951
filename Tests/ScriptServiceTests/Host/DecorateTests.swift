import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// The request `decorate` to a running script.
@Suite(.timeLimit(.minutes(1))) struct DecorateTests {
  private static let request = DecorationRequest(
    [.init(.init(7), "see #12"), .init(.init(9), "x")], in: TestAccount.tea, .room,
    of: TestAccount.jid)

  private static func lazy() throws -> HostFixture { try HostFixture { $0.start = .lazy } }

  @Test func `the request has ids and texts, and what is not valid of the answer is dropped`()
    async throws
  {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    async let decorated = fixture.host.decorate(Self.request)
    let (id, parameters) = try await script.request("decorate")
    #expect(
      parameters.text
        == #"{"account":"alice@example.org","conversation":"tea@rooms.example.org","#
        + #""messages":[{"body":"see #12","id":"7"},{"body":"x","id":"9"}]}"#)
    script.reply(
      to: id,
      #"[{"id":"7","spans":[{"start":4,"length":3,"role":"good"}]},{"id":"9","note":5},"#
        + #"{"id":"5"}]"#)
    #expect(await decorated == [.init(7): MessageDecoration(spans: [.init(4..<7, .good)])])
    #expect(
      await fixture.host.logLines() == ["decorate: message 9: note is no text; 2 were dropped"])
    #expect(
      fixture.events.value.contains { if case .dropped(2) = $0 { true } else { false } })
  }

  @Test func `a lazy script is started for it`() async throws {
    let fixture = try Self.lazy()
    async let decorated = fixture.host.decorate(Self.request)
    let script = try await fixture.starter.script()
    try await script.greet()
    script.reply(to: try await script.request("decorate").id, "[]")
    #expect(await decorated == [:])
  }

  @Test func `a script that the user starts is not started for it`() async throws {
    let fixture = try HostFixture()
    #expect(await fixture.host.decorate(Self.request) == nil)
    #expect(fixture.starter.scripts.value.isEmpty)
  }

  @Test func `a script that failed is not started for it`() async throws {
    let fixture = try Self.lazy()
    fixture.starter.fail(StatusNotice(.error, "none"))
    #expect(await fixture.host.decorate(Self.request) == nil)
    fixture.starter.fail(nil)
    #expect(await fixture.host.decorate(Self.request) == nil)
    #expect(fixture.starter.scripts.value.isEmpty)
  }

  @Test func `an error of the script is a line of its log`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    async let decorated = fixture.host.decorate(Self.request)
    let id = try await script.request("decorate").id
    script.write(#"{"jsonrpc":"2.0","id":"\#(id)","error":{"code":-32601,"message":"none"}}"#)
    #expect(await decorated == [:])
    #expect(await fixture.host.logLines() == ["decorate: none"])
  }

  @Test func `without an answer in five seconds the messages stay as they are`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    async let decorated = fixture.host.decorate(Self.request)
    let id = try await script.request("decorate").id
    #expect(await fixture.sleeps(.seconds(5)))
    fixture.clock.advance(by: .seconds(5))
    #expect(await decorated == [:])
    // An answer that is late is no error.
    script.reply(to: id, "[]")
    try await script.call("version")
  }
}
